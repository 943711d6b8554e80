package simrun

import (
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
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

func schedules(n int) string { return wording.GroupedCount(n, "schedule") }

func classes(n int) string { return wording.GroupedCount(n, "class") }

// estimate writes a number of which the first two digits matter, if it is
// large.
func estimate(n float64) string {
	switch {
	case n < 10_000:
		return wording.Grouped(int(n))
	case n > 1e15:
		return strconv.FormatFloat(n, 'g', 2, 64)
	}
	unit := math.Pow(10, math.Floor(math.Log10(n))-1)
	return wording.Grouped(int64(math.Round(n/unit) * unit))
}

// wrapped is text in lines of at most 100 characters.
func wrapped(text string) string { return strings.Join(wording.Wrap(text, 100), "\n") }

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
