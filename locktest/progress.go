package locktest

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// progressEvery is how often a line of progress is written.
const progressEvery = 10 * time.Second

// progress writes a line to a terminal now and then: go test without -v shows nothing of a test until it ends.
type progress struct {
	w      io.Writer // nil: there is no terminal
	every  time.Duration
	shown  time.Time // the last line, or the beginning
	test   string
	begun  int // scenarios
	of     int
	search string // the state of the current search
}

// newProgress returns the progress of a call.
func newProgress(test string, scenarios int) *progress {
	p := &progress{every: progressEvery, shown: time.Now(), test: test, of: scenarios}
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		p.w = os.Stderr
	}
	return p
}

// watch returns functions that report the progress of a search.
func (p *progress) watch(scenario string, schedules int) (searching func(*explore.Summary), shrinking func(string, int, explore.ShrinkProgress)) {
	p.begun++
	p.search = fmt.Sprintf("%s (%d of %d)", scenario, p.begun, p.of)
	searching = func(s *explore.Summary) {
		p.line("%s of %s, %s violated", wording.Grouped(s.Schedules), wording.GroupedCount(schedules, "schedule"), wording.Form(len(s.Violations), "1 property", fmt.Sprintf("%d properties", len(s.Violations))))
	}
	return searching, func(property string, _ int, _ explore.ShrinkProgress) {
		p.line("shrinking a counterexample of %s", property)
	}
}

// line writes a line if the last one is old enough.
func (p *progress) line(format string, args ...any) {
	if now := time.Now(); p.w != nil && now.Sub(p.shown) >= p.every {
		p.shown = now
		fmt.Fprintf(p.w, "lockpick: %s: %s: %s\n", wording.Printable(p.test), p.search, fmt.Sprintf(format, args...))
	}
}
