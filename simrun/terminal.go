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

// classesOf returns the number of classes of outcomes as text, with its error if it was estimated.
func classesOf(t *explore.Tally) string {
	n, share := t.Distinct()
	if share == 0 {
		return classes(n)
	}
	return fmt.Sprintf("about %s (estimated, standard error %.1f %%)", classes(n), 100*share)
}

// estimate formats a number. Of a large one only the first two digits are significant.
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

// wrapped breaks text into lines of at most 100 characters.
func wrapped(text string) string { return broken(text, usualWidth) }

// broken breaks text into lines of at most width characters.
func broken(text string, width int) string { return strings.Join(wording.Wrap(text, width), "\n") }

// The widths of texts without a terminal, and on the narrowest terminal.
const (
	usualWidth = 100
	leastWidth = 40
)

// widthOf returns the maximum width of lines: that of the terminal, within these limits. The variable COLUMNS overrides
// it, also without a terminal.
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

// style returns how to explain a trace to a writer.
func style(w io.Writer) render.Style { return render.Style{Color: painter(w).On, Width: widthOf(w)} }

// screen returns the terminal behind a writer, so that kong finds its width, or the writer itself.
func screen(w io.Writer) io.Writer {
	if terminal(w) {
		return file(w)
	}
	return w
}

// file returns the file behind a writer, nil if there is none.
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

// span formats a long duration shortly.
func span(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}
