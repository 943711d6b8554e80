package types

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// canonical sorts the keys of objects by length and bytes and keeps the last value of each.
func (n node) canonical() node {
	items := make([]node, len(n.items))
	for i, item := range n.items {
		items[i] = item.canonical()
	}
	if n.kind != jsonObject {
		n.items = items
		return n
	}
	last := map[string]node{}
	for i, k := range n.keys {
		last[k] = items[i]
	}
	keys := make([]string, 0, len(last))
	for k := range last { // unordered: sorted below
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return compareKeys(keys[i], keys[j]) < 0 })
	n.keys, n.items = keys, nil
	for _, k := range keys {
		n.items = append(n.items, last[k])
	}
	return n
}

func compareKeys(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// String writes a value as jsonb does.
func (n node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n node) write(b *strings.Builder) {
	switch n.kind {
	case jsonNull:
		b.WriteString("null")
	case jsonString:
		writeJSONString(b, n.text)
	case jsonNumber:
		b.WriteString(n.number.String())
	case jsonBool:
		b.WriteString(strconv.FormatBool(n.truth))
	case jsonArray, jsonObject:
		b.WriteByte("[{"[n.kind-jsonArray])
		for i, item := range n.items {
			if i > 0 {
				b.WriteString(", ")
			}
			if n.kind == jsonObject {
				writeJSONString(b, n.keys[i])
				b.WriteString(": ")
			}
			item.write(b)
		}
		b.WriteByte("]}"[n.kind-jsonArray])
	}
}

func writeJSONString(b *strings.Builder, s string) {
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case strings.IndexByte("\b\f\n\r\t", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte("bfnrt"[strings.IndexByte("\b\f\n\r\t", c)])
		case c < ' ':
			fmt.Fprintf(b, "\\u%04x", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
}

// compareNodes compares two values as jsonb's default order does.
func compareNodes(a, b node) int {
	if a.kind != b.kind {
		// An empty array is less than anything else, for historical reasons of PostgreSQL.
		if emptyA, emptyB := a.kind == jsonArray && len(a.items) == 0, b.kind == jsonArray && len(b.items) == 0; emptyA != emptyB && a.kind < jsonObject && b.kind < jsonObject {
			return map[bool]int{true: -1, false: 1}[emptyA]
		}
		return int(a.kind - b.kind)
	}
	switch a.kind {
	case jsonString:
		return strings.Compare(a.text, b.text)
	case jsonNumber:
		return compareNumeric(a.number, b.number)
	case jsonBool:
		return compareInts(boolInt(a.truth), boolInt(b.truth))
	}
	if len(a.items) != len(b.items) {
		return len(a.items) - len(b.items)
	}
	for i := range a.items {
		if a.kind == jsonObject {
			if c := compareKeys(a.keys[i], b.keys[i]); c != 0 {
				return c
			}
		}
		if c := compareNodes(a.items[i], b.items[i]); c != 0 {
			return c
		}
	}
	return 0
}

// contains reports whether a value contains another as jsonb's @> has it.
func (n node) contains(other node) bool {
	if n.kind != other.kind {
		return false
	}
	switch n.kind {
	case jsonObject:
		return !slices.ContainsFunc(other.keys, func(k string) bool {
			mine, ok := n.field(k)
			theirs, _ := other.field(k)
			return !ok || !mine.contains(theirs)
		})
	case jsonArray:
		return !slices.ContainsFunc(other.items, func(item node) bool {
			return !slices.ContainsFunc(n.items, func(mine node) bool { return mine.contains(item) })
		})
	}
	return compareNodes(n, other) == 0
}

// field returns the value of a key; the last, if an object that is not canonical has several.
func (n node) field(key string) (node, bool) {
	if n.kind != jsonObject {
		return node{}, false
	}
	for i := len(n.keys) - 1; i >= 0; i-- {
		if n.keys[i] == key {
			return n.items[i], true
		}
	}
	return node{}, false
}

// element returns an element of an array; negative numbers count from the end.
func (n node) element(i int64) (node, bool) {
	if i < 0 {
		i += int64(len(n.items))
	}
	if n.kind != jsonArray || i < 0 || i >= int64(len(n.items)) {
		return node{}, false
	}
	return n.items[i], true
}

// jsonCodec keeps the text of a value; jsonbCodec makes it canonical.
var (
	jsonCodec = codec{
		text: stringCodec.text,
		parse: func(s string) (Value, error) {
			_, err := readJSONSyntax(s)
			return s, err
		},
		binary: stringCodec.binary,
		unbinary: func(b []byte) (Value, error) {
			v, err := validText(b)
			if err == nil {
				_, err = readJSONSyntax(v.(string))
			}
			return v, err
		},
	}
	jsonbCodec = codec{
		text: stringCodec.text,
		parse: func(s string) (Value, error) {
			n, err := readJSON(s)
			return n.canonical().String(), err
		},
		binary: func(v Value) []byte { return append([]byte{1}, v.(string)...) },
		unbinary: func(b []byte) (Value, error) {
			if len(b) == 0 {
				return nil, insufficientData()
			}
			if b[0] != 1 {
				return nil, pgerror.New(pgerror.InternalError, "unsupported jsonb version number %d", b[0])
			}
			v, err := validText(b[1:])
			if err != nil {
				return nil, err
			}
			n, err := readJSON(v.(string))
			return n.canonical().String(), err
		},
	}
)

// readJSONSyntax is readJSON for the type json, which allows what is no text, as \u0000.
func readJSONSyntax(s string) (node, error) { return (&jsonReader{text: s, zeros: true}).read() }
