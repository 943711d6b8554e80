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

// painter colours text on a terminal, unless NO_COLOR is set.
func painter(w io.Writer) wording.Paint {
	return wording.Paint{On: terminal(w) && os.Getenv("NO_COLOR") == ""}
}

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
func style(w io.Writer) render.Style { return render.Style{Color: painter(w).On, Width: widthOf(w)} }

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
