package edn

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// form reads the form that begins with c. A discarded one (#_) is none.
func (r *Reader) form(c rune, depth int) (v Value, discarded bool, err error) {
	if depth > maxDepth {
		return v, false, r.wrong("forms nest deeper than %d", maxDepth)
	}
	v.Line = r.line
	switch c {
	case '(':
		v.Kind = List
	case '[':
		v.Kind = Vector
	case '{':
		v.Kind = Map
	case ')', ']', '}':
		return v, false, r.wrong("a %q that closes nothing", c)
	case '"':
		v.Kind = String
		v.Text, err = r.text(true)
		return v, false, err
	case '#':
		return r.dispatch(v, depth)
	case '\\':
		v.Kind = Char
		v.Text, err = r.char()
		return v, false, err
	default:
		word, err := r.word(c)
		if err != nil {
			return v, false, err
		}
		v, err = r.atom(v, word)
		return v, false, err
	}
	v.Items, err = r.items(closing(c), depth)
	if err == nil && v.Kind == Map {
		err = r.keys(v.Items)
	}
	return v, false, err
}

// keys makes sure that a map has values, and keywords only once.
func (r *Reader) keys(items []Value) error {
	if len(items)%2 != 0 {
		return r.wrong("a map with a key that has no value")
	}
	seen := make(map[string]bool, len(items)/2)
	for i := 0; i < len(items); i += 2 {
		if items[i].Kind != Keyword {
			continue
		}
		if seen[items[i].Text] {
			return r.wrong("a map with the key :%s twice", items[i].Text)
		}
		seen[items[i].Text] = true
	}
	return nil
}

// items reads forms up to the closing bracket.
func (r *Reader) items(end rune, depth int) (items []Value, err error) {
	for {
		c, err := r.skip()
		if err != nil {
			return nil, err
		}
		if c == end {
			return items, nil
		}
		if c == ')' || c == ']' || c == '}' {
			return nil, r.wrong("%q, where %q should close", c, end)
		}
		v, discarded, err := r.form(c, depth+1)
		if err != nil {
			return nil, err
		}
		if !discarded {
			items = append(items, v)
		}
	}
}

// dispatch reads what follows a #.
func (r *Reader) dispatch(v Value, depth int) (_ Value, discarded bool, err error) {
	c, err := r.read()
	if err != nil {
		return v, false, err
	}
	switch {
	case c == '{':
		v.Kind = Set
		v.Items, err = r.items('}', depth)
		return v, false, err
	case c == '"': // a pattern, whose backslashes are its own
		v.Kind = String
		v.Text, err = r.text(false)
		return v, false, err
	case c == '_':
		_, err = r.needed(depth)
		return v, true, err
	case c == '#': // ##Inf, ##-Inf, ##NaN
		v.Kind = Number
		v.Text, err = r.word('#')
		v.Text = "#" + v.Text
		return v, false, err
	case delimits(c) || c == ':' || c == '\\':
		return v, false, r.wrong("# before %q, where a tag, a set or #_ was expected", c)
	}
	v.Kind = Tagged
	if v.Text, err = r.word(c); err != nil {
		return v, false, err
	}
	item, err := r.needed(depth)
	v.Items = []Value{item}
	return v, false, err
}

// needed reads the form that belongs to a tag or a #_: the next one that is
// not discarded itself.
func (r *Reader) needed(depth int) (Value, error) {
	for {
		c, err := r.skip()
		if err != nil {
			return Value{}, err
		}
		if v, discarded, err := r.form(c, depth+1); err != nil || !discarded {
			return v, err
		}
	}
}

// text reads a string up to its closing quote; with escapes, or, of a pattern,
// as it is written.
func (r *Reader) text(escaped bool) (string, error) {
	var b strings.Builder
	for {
		c, err := r.read()
		if err != nil {
			return "", err
		}
		switch {
		case c == '"':
			return b.String(), nil
		case c != '\\':
			b.WriteRune(c)
			continue
		}
		if c, err = r.read(); err != nil {
			return "", err
		}
		if !escaped {
			b.WriteRune('\\')
		} else if c, err = r.escape(c); err != nil {
			return "", err
		}
		b.WriteRune(c)
	}
}

// escape returns what a backslash and c stand for in a string.
func (r *Reader) escape(c rune) (rune, error) {
	switch c {
	case 't':
		return '\t', nil
	case 'r':
		return '\r', nil
	case 'n':
		return '\n', nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case '\\', '"':
		return c, nil
	case 'u':
		return r.hex()
	}
	return 0, r.wrong(`\%c in a string, where one of \t \r \n \b \f \\ \" \uXXXX was expected`, c)
}

// hex reads four hexadecimal digits. Half of a surrogate pair becomes U+FFFD.
func (r *Reader) hex() (rune, error) {
	var digits [4]rune
	for i := range digits {
		c, err := r.read()
		if err != nil {
			return 0, err
		}
		digits[i] = c
	}
	n, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil {
		return 0, r.wrong(`\u%s, where \u and four hexadecimal digits were expected`, string(digits[:]))
	}
	if c := rune(n); utf8.ValidRune(c) {
		return c, nil
	}
	return utf8.RuneError, nil
}

// char reads what follows a backslash outside of strings: one rune of any
// kind, or a name such as newline.
func (r *Reader) char() (string, error) {
	c, err := r.read()
	if err != nil {
		return "", err
	}
	if space(c) {
		return "", r.wrong(`a \ that no character follows`)
	}
	return r.word(c)
}

// word reads up to the next delimiter, which it leaves.
func (r *Reader) word(c rune) (string, error) {
	var b strings.Builder
	b.WriteRune(c)
	for {
		c, err := r.read()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		if delimits(c) {
			r.unread(c)
			return b.String(), nil
		}
		b.WriteRune(c)
	}
}

// atom makes a value of a word.
func (r *Reader) atom(v Value, word string) (Value, error) {
	digits := strings.TrimLeft(word, "+-")
	switch {
	case word == "nil":
		return v, nil // the zero Kind
	case word == "true" || word == "false":
		v.Kind, v.Text = Bool, word
	case word[0] == ':':
		if word == ":" {
			return v, r.wrong("a colon without a name")
		}
		v.Kind, v.Text = Keyword, word[1:]
	case len(word)-len(digits) <= 1 && digits != "" && digits[0] >= '0' && digits[0] <= '9':
		if n, err := strconv.ParseInt(strings.TrimSuffix(word, "N"), 10, 64); err == nil {
			v.Kind, v.Int = Int, n
		} else {
			v.Kind, v.Text = Number, word
		}
	default:
		v.Kind, v.Text = Symbol, word
	}
	return v, nil
}
