package main

import (
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// terminal reports whether w is one, so that progress and colour make sense.
func terminal(w io.Writer) bool {
	if u, ok := w.(interface{ Unwrap() io.Writer }); ok {
		w = u.Unwrap()
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// paint colours text on a terminal, unless NO_COLOR is set.
type paint struct{ on bool }

func painter(w io.Writer) paint { return paint{terminal(w) && os.Getenv("NO_COLOR") == ""} }

func (p paint) with(code, s string) string {
	if !p.on {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p paint) bold(s string) string   { return p.with("1", s) }
func (p paint) faint(s string) string  { return p.with("2", s) }
func (p paint) red(s string) string    { return p.with("1;31", s) }
func (p paint) green(s string) string  { return p.with("32", s) }
func (p paint) yellow(s string) string { return p.with("33", s) }

// count writes a number with separators: 12,345.
func count[N ~int | ~int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural counts things whose name takes an s.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}

func schedules(n int) string { return plural(n, "schedule") }

func classes(n int) string {
	if n == 1 {
		return "1 class"
	}
	return count(n) + " classes"
}

// stories counts classes of runs that told the same to whoever looks on.
func stories(n int) string {
	if n == 1 {
		return "1 story"
	}
	return count(n) + " different stories"
}

// estimate writes a number of which the first two digits matter, if it is
// large.
func estimate(n float64) string {
	switch {
	case n < 10_000:
		return count(int(n))
	case n > 1e15:
		return strconv.FormatFloat(n, 'g', 2, 64)
	}
	unit := math.Pow(10, math.Floor(math.Log10(n))-1)
	return count(int64(math.Round(n/unit) * unit))
}

// wrapped is text in lines of at most 100 characters.
func wrapped(text string) string {
	var out strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case width == 0:
		case width+1+n > 100:
			out.WriteByte('\n')
			width = 0
		default:
			out.WriteByte(' ')
			width++
		}
		out.WriteString(word)
		width += n
	}
	return out.String()
}

// span writes a long duration shortly.
func span(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// shellWord quotes a word for a shell, if it needs it.
func shellWord(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,+@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
