package history

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Example returns a line, or an event, in the format.
func (f Format) Example() string {
	if f == EDN {
		return exampleEDN
	}
	return example
}

// heading has the format of a file, by its first bytes.
type heading struct {
	// format is the format in which the file is read, and begins the one that it begins
	// like. Begins is empty if that is neither; so is format, unless it was given.
	format, begins Format
}

// withFormats adds the formats to the error of a line.
func (h heading) withFormats(err error) error {
	var wrong *LineError
	if errors.As(err, &wrong) {
		wrong.Format, wrong.Begins = h.format, h.begins
	}
	return err
}

// headBytes is the number of bytes of a file that decide its format.
const headBytes = 512

// begin detects the format by the first bytes unless it is given, and skips a byte order
// mark. A file that begins like neither format is an error.
func begin(given Format, r io.Reader) (h heading, rest io.Reader, err error) {
	if given != "" && given != NDJSON && given != EDN {
		return h, nil, fmt.Errorf("format %q: want %s or %s", given, NDJSON, EDN)
	}
	in := bufio.NewReader(r)
	head, err := in.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return h, nil, err
	}
	if what := noText(head); what != "" {
		return h, nil, &LineError{Line: 1, Problem: what}
	}
	if text, marked := bytes.CutPrefix(head, []byte("\ufeff")); marked {
		_, _ = in.Discard(len(head) - len(text)) // the bytes are buffered
		head = text
	}
	h.begins = formatByHead(head)
	if h.format = given; given == "" {
		h.format = h.begins
	}
	if h.format == "" {
		return h, nil, neither(head)
	}
	return h, in, nil
}

// noText describes a file that must be converted to text first; it returns "" for a
// text.
func noText(head []byte) string {
	for _, other := range []struct{ magic, what string }{
		{"\x1f\x8b", "compressed by gzip: want the text, which zcat makes of it"},
		{"\x28\xb5\x2f\xfd", "compressed by zstd: want the text, which zstdcat makes of it"},
		{"\xfd7zXZ\x00", "compressed by xz: want the text, which xzcat makes of it"},
		{"\xff\xfe", "UTF-16: want UTF-8, which iconv -f UTF-16 -t UTF-8 makes of it"},
		{"\xfe\xff", "UTF-16: want UTF-8, which iconv -f UTF-16 -t UTF-8 makes of it"},
	} {
		if bytes.HasPrefix(head, []byte(other.magic)) {
			return other.what
		}
	}
	return ""
}

// neither returns the error for a file that begins like neither format.
func neither(head []byte) error {
	text := bytes.TrimLeft(head, " \t\r\n\v\f")
	line := 1 + bytes.Count(head[:len(head)-len(text)], []byte("\n"))
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return &LineError{Line: line, Problem: fmt.Sprintf(
		"%s begins like neither NDJSON (one JSON object a line, such as %s) nor Jepsen's EDN (one map an event, such as %s)",
		quote(string(bytes.TrimSpace(first))), example, exampleEDN)}
}

// formatByHead returns the format of the first bytes, empty if they are of neither. A JSON
// object begins with a string; a map of Jepsen's with a keyword. A [ before it is skipped: it
// may begin an array, for which the reader of NDJSON has an error.
func formatByHead(head []byte) Format {
	text := bytes.TrimSpace(head)
	if len(text) == 0 {
		return NDJSON
	}
	if inner, ok := bytes.CutPrefix(text, []byte("[")); ok {
		if text = bytes.TrimSpace(inner); len(text) == 0 || text[0] == ']' {
			return EDN // a sequence without events, as far as can be seen
		}
	}
	switch object, braced := bytes.CutPrefix(text, []byte("{")); {
	case braced:
		return formatOfMap(bytes.TrimSpace(object))
	case text[0] == '(' || text[0] == ';':
		return EDN
	case text[0] == '#' && len(text) > 1 && !bytes.ContainsAny(text[1:2], "# \t\r\n!"): // a tag, or #_
		return EDN
	}
	return ""
}

// formatOfMap returns the format by the bytes after the first brace.
func formatOfMap(inside []byte) Format {
	switch {
	case len(inside) == 0:
		return ""
	case inside[0] == '"' || inside[0] == '}':
		return NDJSON
	case bytes.ContainsAny(inside[:1], ":,;#"):
		return EDN
	}
	return ""
}
