package simrun

import (
	"fmt"
	"io"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// live is a progress line on a terminal. In a pipe it prints nothing.
type live struct {
	w       io.Writer
	on      bool
	shown   time.Time
	started time.Time // moved on by pauses in the search
	before  int       // schedules that had been run before it started
	counts  string    // the state of the search
}

func newLive(w io.Writer) *live {
	return &live{w: wording.Data(w), on: terminal(w), started: time.Now(), before: -1}
}

// show shows a line, at most ten times a second. The terminal cuts long lines.
func (l *live) show(format string, args ...any) {
	now := time.Now()
	if !l.on || now.Sub(l.shown) < 100*time.Millisecond {
		return
	}
	l.shown = now
	fmt.Fprintf(l.w, "\r\x1b[K\x1b[?7l%s\x1b[?7h", wording.Printable(fmt.Sprintf(format, args...)))
}

// searched shows how far the search is, at what pace, and its findings.
func (l *live) searched(done, pace, found string) {
	l.counts = done
	l.show("%s%s, %s", done, pace, found)
}

// meanwhile shows the work on a finding, behind the state of the search.
func (l *live) meanwhile(format string, args ...any) {
	before := l.counts
	if before != "" {
		before += "; "
	}
	l.show("%s%s", before, fmt.Sprintf(format, args...))
}

// clear removes the line before other output.
func (l *live) clear() {
	if l.on && !l.shown.IsZero() {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = time.Time{}
	}
}

// away starts a pause that ends when the returned function is called. The rate does not count it.
func (l *live) away() (back func()) {
	since := time.Now()
	return func() { l.started = l.started.Add(time.Since(since)) }
}

// rate is the number of schedules per second, 0 if unknown.
func (l *live) rate(done int) float64 {
	if l.before < 0 { // known schedules are counted, but were not run now
		l.before, l.started = done-1, time.Now()
	}
	if took := time.Since(l.started).Seconds(); took > 0.01 && done > l.before+1 {
		return float64(done-l.before-1) / took
	}
	return 0
}

// pace returns the rate and the time left, as text.
func (l *live) pace(done int, left float64) string {
	rate := l.rate(done)
	if rate == 0 {
		return ""
	}
	return fmt.Sprintf(", %.0f/s, %s left", rate, roughly(left/rate))
}

// roughly returns a rounded number of seconds as text.
func roughly(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 120*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	case seconds < 48*3600:
		return fmt.Sprintf("%.0f h", seconds/3600)
	case seconds < 2*365*86400:
		return fmt.Sprintf("%.0f days", seconds/86400)
	}
	return "years"
}

// left returns the estimated time left, as text.
func (l *live) left(done, of int) string {
	took := time.Since(l.started).Seconds()
	return ", " + roughly(took/float64(done)*float64(of-done)) + " left"
}
