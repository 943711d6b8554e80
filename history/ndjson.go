package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/lockpick-dev/lockpick/internal/packed"
	"github.com/lockpick-dev/lockpick/model"
)

// lines reads NDJSON, one line after the other.
type lines struct {
	scan   *bufio.Scanner
	number int
	names  map[string]string
}

func newLines(r io.Reader) *lines {
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 0, 4096), MaxLine)
	return &lines{scan: scan, names: make(map[string]string)}
}

// next returns the next line that is not empty, or io.EOF after the last.
func (r *lines) next() (line, error) {
	for r.scan.Scan() {
		r.number++
		if wrong := packed.Characters(r.scan.Bytes()); wrong != nil {
			return line{}, &LineError{Line: r.number, Problem: fmt.Sprintf("%s, in column %d", wrong, wrong.Offset+1)}
		}
		text := bytes.TrimSpace(r.scan.Bytes())
		if len(text) == 0 {
			continue
		}
		l, err := parse(text)
		if err != nil {
			return l, &LineError{Line: r.number, Problem: err.Error()}
		}
		l.number = r.number
		r.share(&l)
		return l, nil
	}
	switch err := r.scan.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return line{}, &LineError{Line: r.number + 1, Problem: fmt.Sprintf("more than %d bytes, where one operation was expected", MaxLine)}
	case err != nil:
		return line{}, err
	}
	return line{}, io.EOF
}

// share keeps one copy of each name.
func (r *lines) share(l *line) {
	for _, s := range []*string{&l.call.Client, &l.call.Object, (*string)(&l.call.Op), &l.call.Owner, (*string)(&l.call.Outcome)} {
		if one, ok := r.names[*s]; ok {
			*s = one
		} else {
			r.names[*s] = *s
		}
	}
}

// parse parses a line, which is an object.
func parse(text []byte) (l line, err error) {
	if text[0] == '[' {
		return l, errors.New("a JSON array: want one object per line, which jq -c '.[]' makes of an array")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return l, fmt.Errorf("want a JSON object, such as %s", example)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return l, fmt.Errorf("not JSON: %w", err)
		}
		value, err := d.Token()
		if err != nil {
			return l, fmt.Errorf("not JSON: %w", err)
		}
		if err := l.set(key.(string), value); err != nil { // keys of objects are strings
			return l, err
		}
	}
	if _, err := d.Token(); err != nil {
		return l, errors.New("not JSON: the object does not end on this line: want one object a line, which jq -c . makes of others")
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 && rest[0] != '{' {
		return l, fmt.Errorf("%s behind the object: want one JSON object a line, and nothing else", quote(string(rest)))
	} else if len(rest) > 0 {
		return l, errors.New("more than one JSON object: want one a line")
	}
	return l, l.complete()
}

// example is an operation in NDJSON.
const example = `{"client":"c1","object":"orders","op":"acquire","call":1,"return":2,"outcome":"ok"}`

// complete returns an error if a field is missing or contradicts another.
func (l *line) complete() error {
	note := l.has("annotation")
	for i := range fields {
		if f := &fields[i]; l.given&(1<<i) != 0 && f.note != note {
			return f.misplaced()
		}
	}
	if note {
		return l.completeNote()
	}
	needed := []string{"client", "object", "op", "call", "outcome"}
	for _, name := range needed {
		if !l.has(name) && (name != "object" || l.call.Op != model.Crash) {
			return fmt.Errorf("no field %s: an operation such as %s needs it", name, example)
		}
	}
	switch {
	case l.call.Client == "":
		return errors.New("field client is empty: want a name")
	case l.call.Object == "" && l.call.Op != model.Crash:
		return errors.New("field object is empty: want a name")
	case l.call.Outcome != model.OK && l.call.Outcome != model.Failed && l.call.Outcome != model.Unknown:
		return fmt.Errorf("field outcome: want ok, failed or unknown, not %s", quote(string(l.call.Outcome)))
	case l.call.Outcome != model.Unknown && !l.has("return"):
		return fmt.Errorf("outcome %s without a field return: an operation that did not return has the outcome unknown", l.call.Outcome)
	case l.has("return") && l.call.Return < l.call.Call:
		return fmt.Errorf("returned at %d, before it was called at %d", l.call.Return, l.call.Call)
	}
	return nil
}

// misplaced returns the error for a field of operations in an annotation, or the
// reverse.
func (f *field) misplaced() error {
	if !f.note {
		return fmt.Errorf("field %s in an annotation, which has %s", f.name, names(true))
	}
	return fmt.Errorf("field %s in an operation, which has %s", f.name, names(false))
}

func (l *line) completeNote() error {
	if !l.has("from") {
		return errors.New(`no field from: want when it began, such as {"annotation":"paused","on":"c1","from":3,"to":9}`)
	}
	if !l.has("to") {
		l.about.To = l.about.From
	}
	if l.about.To < l.about.From {
		return fmt.Errorf("to %d is before from %d", l.about.To, l.about.From)
	}
	return nil
}
