package wording

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Terminal is a writer of text for people, to a terminal or a log: each line is written as by [Printable]. With colour it
// keeps the program's own colours. [Data] is for output that programs read.
type Terminal struct {
	to     io.Writer
	colour bool
	rest   []byte // the beginning of a character
}

// NewTerminal returns a writer of text to another.
func NewTerminal(to io.Writer, colour bool) *Terminal { return &Terminal{to: to, colour: colour} }

// colours are the escape sequences of colours, and of their end.
var colours = regexp.MustCompile(`\x1b\[(?:[012]|(?:1;)?[39][0-7])m`)

// Write writes text. A character may come in two pieces.
func (t *Terminal) Write(p []byte) (int, error) {
	text := slices.Concat(t.rest, p)
	whole := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole -= n
			}
			break
		}
	}
	t.rest = append([]byte(nil), text[whole:]...)
	return len(p), t.write(string(text[:whole]))
}

// Flush writes the incomplete character at the end, if any.
func (t *Terminal) Flush() error {
	text := string(t.rest)
	t.rest = nil
	return t.write(text)
}

func (t *Terminal) write(text string) error {
	if text == "" {
		return nil
	}
	var b strings.Builder
	plain := func(s string) {
		for line := range strings.Lines(s) {
			body, ended := strings.CutSuffix(line, "\n")
			for i, part := range strings.Split(body, "\t") {
				if i > 0 {
					b.WriteByte('\t')
				}
				b.WriteString(Printable(part))
			}
			if ended {
				b.WriteByte('\n')
			}
		}
	}
	at := 0
	if t.colour {
		for _, m := range colours.FindAllStringIndex(text, -1) {
			plain(text[at:m[0]])
			b.WriteString(text[m[0]:m[1]])
			at = m[1]
		}
	}
	plain(text[at:])
	_, err := io.WriteString(t.to, b.String())
	return err
}

// Unwrap returns the writer below.
func (t *Terminal) Unwrap() io.Writer { return t.to }

// Data returns the writer for output that programs read, such as JSON, pages and commands to a runner.
func (t *Terminal) Data() io.Writer { return t.to }

// Data returns the writer for data below one for text.
func Data(w io.Writer) io.Writer {
	if t, ok := w.(interface{ Data() io.Writer }); ok {
		return t.Data()
	}
	return w
}
