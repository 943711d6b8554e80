package history

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// line is the contents of a line of NDJSON: a call or an annotation.
type line struct {
	number int
	// id is the id by which other lines name this one, 0 if none.
	id   int64
	of   int64 // the id in the field of, 0 if none
	call model.Call
	// about is not nil if the line is an annotation.
	about *Annotation
	given fieldSet
}

// annotation makes the line an annotation, and returns it.
func (l *line) annotation() *Annotation {
	if l.about == nil {
		l.about = &Annotation{}
	}
	return l.about
}

// fieldSet has a bit for each of fields.
type fieldSet uint32

// field is a key that a line may have.
type field struct {
	name string
	// note is set on the fields of annotations, unset on those of operations.
	note bool
	// text, number and flag store the value; one of them is not nil.
	text   func(*line, string)
	number func(*line, int64)
	flag   func(*line, bool)
	// least is the smallest number.
	least int64
}

// any64 is the least of a field that takes any number.
const any64 = -1 << 63

// fields has all keys, in the order in which they are written.
var fields = []field{
	{name: "id", least: 1, number: func(l *line, n int64) { l.id = n }},
	{name: "client", text: func(l *line, s string) { l.call.Client = s }},
	{name: "thread", number: func(l *line, n int64) { l.call.Thread = int(n) }},
	{name: "object", text: func(l *line, s string) { l.call.Object = s }},
	{name: "op", text: func(l *line, s string) { l.call.Op = model.OpKind(s) }},
	{name: "owner", text: func(l *line, s string) { l.call.Owner = s }},
	{name: "n", least: any64, number: func(l *line, n int64) { l.call.N = n }},
	{name: "expected", least: any64, number: func(l *line, n int64) { l.call.Expected = n }},
	{name: "segment", number: func(l *line, n int64) { l.call.Segment = int(n) }},
	{name: "of", least: 1, number: func(l *line, n int64) { l.of = n }},
	{name: "try", flag: func(l *line, b bool) { l.call.Try = b }},
	{name: "call", least: 1, number: func(l *line, n int64) { l.call.Call = n }},
	{name: "return", least: 1, number: func(l *line, n int64) { l.call.Return = n }},
	{name: "queuedFrom", least: 1, number: func(l *line, n int64) { l.call.QueuedFrom = n }},
	{name: "queued", least: 1, number: func(l *line, n int64) { l.call.Queued = n }},
	{name: "outcome", text: func(l *line, s string) { l.call.Outcome = model.Outcome(s) }},
	{name: "until", least: 1, number: func(l *line, n int64) { l.call.Until = n }},
	{name: "token", least: any64, number: func(l *line, n int64) { l.call.Token, l.call.Fenced = n, true }},
	{name: "refused", flag: func(l *line, b bool) { l.call.Refused = b }},
	{name: "permit", text: func(l *line, s string) { l.call.Permit = s }},
	{name: "value", least: any64, number: func(l *line, n int64) { l.call.Value, l.call.Valued = n, true }},

	{name: "annotation", note: true, text: func(l *line, s string) { l.annotation().Text = s }},
	{name: "on", note: true, text: func(l *line, s string) { l.annotation().On = s }},
	{name: "from", note: true, least: 1, number: func(l *line, n int64) { l.annotation().From = n }},
	{name: "to", note: true, least: 1, number: func(l *line, n int64) { l.annotation().To = n }},
}

// fieldIndex finds a field by its name.
var fieldIndex = func() map[string]int {
	index := make(map[string]int, len(fields))
	for i := range fields {
		index[fields[i].name] = i
	}
	return index
}()

func (l *line) has(name string) bool { return l.given&(1<<fieldIndex[name]) != 0 }

// names lists the fields of operations, or of annotations.
func names(note bool) string {
	var list []string
	for i := range fields {
		if fields[i].note == note {
			list = append(list, fields[i].name)
		}
	}
	return strings.Join(list, ", ")
}

// set stores the value of a field, or returns an error if it is wrong.
func (l *line) set(key string, value json.Token) error {
	i, known := fieldIndex[key]
	if !known {
		return fmt.Errorf("unknown field %s; an operation has %s; an annotation has %s", quote(key), names(false), names(true))
	}
	if l.given&(1<<i) != 0 {
		return fmt.Errorf("field %s is given twice", key)
	}
	l.given |= 1 << i
	f := &fields[i]
	switch v := value.(type) {
	case string:
		if f.text != nil {
			f.text(l, v)
			return nil
		}
	case bool:
		if f.flag != nil {
			f.flag(l, v)
			return nil
		}
	case json.Number:
		if f.number == nil {
			break
		}
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil || n < f.least {
			break
		}
		f.number(l, n)
		return nil
	}
	return fmt.Errorf("field %s: want %s, not %s", key, f.want(), shown(value))
}

func (f *field) want() string {
	switch {
	case f.text != nil:
		return "a string"
	case f.flag != nil:
		return "true or false"
	case f.least == any64:
		return "a whole number of 64 bits"
	}
	return fmt.Sprintf("a whole number of 64 bits, at least %d", f.least)
}

// shown returns the text of a JSON token, cut if it is long.
func shown(value json.Token) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return quote(v)
	}
	return clip(fmt.Sprint(value))
}

func quote(s string) string { return strconv.Quote(clip(s)) }

// clip shortens untrusted text.
func clip(s string) string { return wording.Clip(s, 60) }
