package simrun

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// terminal reports whether w is one, so that progress and colour make sense.
func terminal(w io.Writer) bool {
	f := file(w)
	if f == nil {
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

// classesOf is the number of classes of outcomes, with its error if it was estimated.
func classesOf(t *explore.Tally) string {
	n, share := t.Distinct()
	if share == 0 {
		return classes(n)
	}
	return fmt.Sprintf("about %s (estimated, standard error %.1f %%)", classes(n), 100*share)
}

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
func wrapped(text string) string { return broken(text, usualWidth) }

// broken is text in lines of at most so many characters.
func broken(text string, width int) string { return strings.Join(wording.Wrap(text, width), "\n") }

// The widths of texts: where there is no terminal, and on the narrowest.
const (
	usualWidth = 100
	leastWidth = 40
)

// widthOf is how long lines may be: as wide as the terminal is, between these limits. The
// variable COLUMNS says it instead, also where there is no terminal.
func widthOf(w io.Writer) int {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if f := file(w); err != nil && f != nil && terminal(w) {
		n = columns(f)
	}
	if n <= 0 {
		return usualWidth
	}
	return min(max(n, leastWidth), usualWidth)
}

// style is how a trace is explained to a writer.
func style(w io.Writer) render.Style { return render.Style{Color: painter(w).on, Width: widthOf(w)} }

// verbosely is style, with the lines of code if they are asked for.
func verbosely(w io.Writer, verbose bool) render.Style {
	s := style(w)
	s.Verbose = verbose
	return s
}

// screen is the terminal behind a writer, whose width kong then finds, or the writer itself.
func screen(w io.Writer) io.Writer {
	if terminal(w) {
		return file(w)
	}
	return w
}

// file is the file behind a writer, nil if there is none.
func file(w io.Writer) *os.File {
	for {
		u, ok := w.(interface{ Unwrap() io.Writer })
		if !ok {
			f, _ := w.(*os.File)
			return f
		}
		w = u.Unwrap()
	}
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
