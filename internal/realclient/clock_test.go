package realclient

import (
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// TestClock: a clock shows its error, and true time comes back from it. A jump does not move running timers, and a
// clock that runs fast fires them early.
func TestClock(t *testing.T) {
	truth := clockwork.NewFakeClock()
	at := func(ahead time.Duration, rate int64) *clock {
		return &clock{Clock: truth, began: truth.Now(), ahead: ahead, rate: rate}
	}
	began := truth.Now()
	off, fast := at(-2*time.Second, 0), at(0, 250_000)
	timer, early := off.NewTimer(time.Second), fast.NewTimer(time.Second)
	truth.Advance(800 * time.Millisecond)
	off.jump(5 * time.Second)
	for name, c := range map[string]struct {
		clock *clock
		want  time.Duration
	}{"off": {off, 3800 * time.Millisecond}, "fast": {fast, time.Second}} {
		if got := c.clock.Now().Sub(began); got != c.want {
			t.Errorf("%s shows %s, want %s", name, got, c.want)
		}
		if got := c.clock.when(c.clock.Now()).Sub(began); got != 800*time.Millisecond {
			t.Errorf("%s shows that at %s, want 800ms", name, got)
		}
	}
	select {
	case <-early.Chan():
	default:
		t.Error("the timer of a clock that runs fast has not fired")
	}
	select {
	case <-timer.Chan():
		t.Error("a jump has moved a timer")
	default:
	}
	truth.Advance(200 * time.Millisecond)
	<-timer.Chan()
}
