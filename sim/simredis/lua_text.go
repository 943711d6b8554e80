package simredis

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The functions of Lua's libraries that convert between numbers and text, as in Redis's
// Lua.

// fixNumbers replaces the interpreter's functions by these.
func (i *interpreter) fixNumbers() {
	l := i.state
	l.SetFuncs(i.globals, map[string]lua.LGFunction{
		"tonumber": toNumber, "loadstring": loadString, "load": load, "tostring": toString,
	})
	l.SetFuncs(i.library(lua.TabLibName), map[string]lua.LGFunction{"concat": tableConcat})
	i.library(lua.MathLibName).RawSetString("huge", lua.LNumber(math.Inf(1)))
	library := i.library(lua.StringLibName)
	for name, texts := range map[string]int{ // unordered: distinct keys of one table
		"byte": 1, "char": 0, "find": 2, "gfind": 2, "gmatch": 2, "gsub": 3, "len": 1, "lower": 1, "match": 2,
		"rep": 1, "reverse": 1, "sub": 1, "upper": 1,
	} {
		library.RawSetString(name, converting(library.RawGetString(name).(*lua.LFunction), texts))
	}
	l.SetFuncs(library, map[string]lua.LGFunction{"format": format})
	calculations := i.library(lua.MathLibName)
	calculations.ForEach(func(name, v lua.LValue) {
		if f, ok := v.(*lua.LFunction); ok {
			calculations.RawSet(name, converting(f, 0))
		}
	})
}

// converting returns a function that converts its first arguments to text and the
// others to numbers.
func converting(f *lua.LFunction, texts int) *lua.LFunction {
	converted := *f // with its upvalues
	converted.GFunction = func(l *lua.LState) int {
		for n := 1; n <= l.GetTop(); n++ {
			switch v := l.Get(n).(type) {
			case lua.LNumber:
				if n <= texts {
					l.Replace(n, lua.LString(formatNumber(float64(v), digits)))
				}
			case lua.LString:
				if number, ok := parseNumber(string(v)); ok && n > texts {
					l.Replace(n, lua.LNumber(number))
				}
			case *lua.LFunction, *lua.LTable: // what gsub puts in the place of a match
				l.Replace(n, l.NewFunction(replacement(v)))
			}
		}
		return f.GFunction(l)
	}
	return &converted
}

// replacement returns gsub's replacement of a match by a function or a table.
func replacement(by lua.LValue) lua.LGFunction {
	return func(l *lua.LState) int {
		if t, ok := by.(*lua.LTable); ok {
			l.Push(l.GetTable(t, l.Get(1)))
		} else {
			top := l.GetTop()
			l.Push(by)
			for n := 1; n <= top; n++ {
				l.Push(l.Get(n))
			}
			l.Call(top, 1)
		}
		if v, ok := l.Get(-1).(lua.LNumber); ok {
			l.Push(lua.LString(formatNumber(float64(v), digits)))
		}
		return 1
	}
}

func toString(l *lua.LState) int {
	v := l.CheckAny(1)
	if s, ok := stringOf(v); ok {
		l.Push(lua.LString(s))
	} else {
		l.Push(l.ToStringMeta(v))
	}
	return 1
}

func toNumber(l *lua.LState) int {
	v, base := l.CheckAny(1), 10
	if l.Get(2) != lua.LNil {
		base = int(whole(checkNumber(l, 2)))
	}
	var n float64
	var ok bool
	switch {
	case base == 10:
		n, ok = numberOf(v)
	case base < 2 || base > 36:
		l.ArgError(2, "base out of range")
	default:
		n, ok = parseInBase(checkString(l, 1), base)
	}
	if ok {
		l.Push(lua.LNumber(n))
	} else {
		l.Push(lua.LNil)
	}
	return 1
}

func loadString(l *lua.LState) int {
	source := checkString(l, 1)
	return loaded(l, source, l.OptString(2, source))
}

// load is Lua's, which gets the text in pieces.
func load(l *lua.LState) int {
	f, name := l.CheckFunction(1), l.OptString(2, "=(load)")
	var source strings.Builder
	for {
		l.Push(f)
		l.Call(0, 1)
		piece, ok := stringOf(l.Get(-1))
		l.Pop(1)
		if !ok || piece == "" {
			return loaded(l, source.String(), name)
		}
		source.WriteString(piece)
	}
}

func loaded(l *lua.LState, source, name string) int {
	code, err := compile(source, name)
	if err != nil {
		l.Push(lua.LNil)
		l.Push(lua.LString(err.Error()))
		return 2
	}
	l.Push(l.NewFunctionFromProto(code))
	return 1
}

func tableConcat(l *lua.LState) int {
	t, separator := l.CheckTable(1), ""
	if l.Get(2) != lua.LNil {
		separator = checkString(l, 2)
	}
	from, to := 1, t.Len()
	if l.Get(3) != lua.LNil {
		from = int(whole(checkNumber(l, 3)))
	}
	if l.Get(4) != lua.LNil {
		to = int(whole(checkNumber(l, 4)))
	}
	var all strings.Builder
	for n := from; n <= to; n++ {
		s, ok := stringOf(t.RawGetInt(n))
		if !ok {
			l.RaiseError("invalid value (%s) at index %d in table for 'concat'", t.RawGetInt(n).Type(), n)
		}
		if n > from {
			all.WriteString(separator)
		}
		all.WriteString(s)
	}
	l.Push(lua.LString(all.String()))
	return 1
}

// format is string.format.
func format(l *lua.LState) int {
	pattern, arg := checkString(l, 1), 1
	var all strings.Builder
	for {
		plain, rest, found := strings.Cut(pattern, "%")
		all.WriteString(plain)
		switch {
		case !found:
			l.Push(lua.LString(all.String()))
			return 1
		case strings.HasPrefix(rest, "%"):
			all.WriteByte('%')
			pattern = rest[1:]
			continue
		}
		end := len(rest) - len(strings.TrimLeft(rest, "-+ #0123456789."))
		if end == len(rest) {
			l.RaiseError("invalid option '%%' to 'format'")
		}
		arg++
		all.WriteString(directive(l, rest[:end], rest[end], arg))
		pattern = rest[end+1:]
	}
}

// directive formats one argument: %, what modifies it, and the verb.
func directive(l *lua.LState, modifiers string, verb byte, arg int) string {
	switch verb {
	case 's':
		s := checkString(l, arg)
		if strings.Contains(modifiers, ".") || len(s) < 100 {
			s, _, _ = strings.Cut(s, "\x00") // a string of C's
		}
		return fmt.Sprintf("%"+modifiers+"s", s)
	case 'q':
		return quoted(checkString(l, arg))
	case 'c':
		return fmt.Sprintf("%"+modifiers+"s", string([]byte{byte(whole(checkNumber(l, arg)))}))
	case 'd', 'i':
		return fmt.Sprintf("%"+modifiers+"d", whole(checkNumber(l, arg)))
	case 'o', 'u', 'x', 'X':
		v := checkNumber(l, arg)
		n := uint64(whole(v))
		if v >= 1<<63 && v < 1<<64 {
			n = uint64(v)
		}
		if verb == 'u' {
			verb = 'd'
		}
		return fmt.Sprintf("%"+modifiers+string(verb), n)
	case 'e', 'E', 'f', 'g', 'G':
		return float(modifiers, verb, checkNumber(l, arg))
	}
	l.RaiseError("invalid option '%%%c' to 'format'", verb)
	return ""
}

// float formats a number as C does, whose precision is six if none is given.
func float(modifiers string, verb byte, v float64) string {
	if special, ok := notFinite(v); ok {
		if verb <= 'Z' {
			special = strings.ToUpper(special)
		}
		if strings.Contains(modifiers, "+") && special[0] != '-' {
			special = "+" + special
		}
		width, _, _ := strings.Cut(strings.TrimLeft(modifiers, "-+ #0"), ".")
		if n, err := strconv.Atoi(width); err == nil && strings.Contains(modifiers, "-") {
			return fmt.Sprintf("%-*s", n, special)
		} else if err == nil {
			return fmt.Sprintf("%*s", n, special)
		}
		return special
	}
	if !strings.Contains(modifiers, ".") {
		modifiers += ".6"
	}
	return fmt.Sprintf("%"+modifiers+string(verb), v)
}

// quoted returns a string that Lua reads back.
func quoted(s string) string {
	var all strings.Builder
	all.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\', '\n':
			all.WriteByte('\\')
			all.WriteByte(c)
		case '\r':
			all.WriteString(`\r`)
		case 0:
			all.WriteString(`\000`)
		default:
			all.WriteByte(c)
		}
	}
	all.WriteByte('"')
	return all.String()
}
