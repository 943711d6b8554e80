package edn

import (
	"strconv"
	"strings"
)

// Kind is what a value is.
type Kind uint8

// The kinds of values.
const (
	Nil Kind = iota
	Bool
	// Int is a whole number that fits 64 bits.
	Int
	// Number is any other number.
	Number
	String
	Char
	Keyword
	Symbol
	List
	Vector
	Set
	Map
	Tagged
)

// Value is one value.
type Value struct {
	Kind Kind
	// Text is the text of a String, a Char, a Keyword (without its colon), a
	// Symbol, a Bool or a Number, as far as it is known, and the tag of a
	// Tagged value (without its #).
	Text string
	// Int is the value of an Int.
	Int int64
	// Items are the elements of a List, a Vector or a Set; the keys and values
	// of a Map, in turns; and the one value of a Tagged one.
	Items []Value
	// Line is where the value begins, from 1.
	Line int
}

// Get returns the value of a keyword in a map, and whether the map has it.
func (v Value) Get(keyword string) (Value, bool) {
	if v.Kind != Map {
		return Value{}, false
	}
	for i := 0; i+1 < len(v.Items); i += 2 {
		if k := v.Items[i]; k.Kind == Keyword && k.Text == keyword {
			return v.Items[i+1], true
		}
	}
	return Value{}, false
}

// Parts is how many values the value is made of, itself among them.
func (v Value) Parts() int {
	n := 1
	for i := range v.Items {
		n += v.Items[i].Parts()
	}
	return n
}

// String returns the value as it is read.
func (v Value) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

var brackets = map[Kind][2]string{List: {"(", ")"}, Vector: {"[", "]"}, Set: {"#{", "}"}, Map: {"{", "}"}}

func (v Value) write(b *strings.Builder) {
	switch v.Kind {
	case Nil:
		b.WriteString("nil")
	case Int:
		b.WriteString(strconv.FormatInt(v.Int, 10))
	case String:
		writeString(b, v.Text)
	case Char:
		b.WriteString(`\` + v.Text)
	case Keyword:
		b.WriteString(":" + v.Text)
	case Tagged:
		b.WriteString("#" + v.Text + " ")
		v.Items[0].write(b)
	case List, Vector, Set, Map:
		b.WriteString(brackets[v.Kind][0])
		for i, item := range v.Items {
			if i > 0 {
				b.WriteByte(' ')
			}
			item.write(b)
		}
		b.WriteString(brackets[v.Kind][1])
	default: // Bool, Number, Symbol
		b.WriteString(v.Text)
	}
}

var escapes = map[rune]rune{'\t': 't', '\r': 'r', '\n': 'n', '\\': '\\', '"': '"', '\b': 'b', '\f': 'f'}

func writeString(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, c := range s {
		if e, ok := escapes[c]; ok {
			b.WriteByte('\\')
			c = e
		}
		b.WriteRune(c)
	}
	b.WriteByte('"')
}
