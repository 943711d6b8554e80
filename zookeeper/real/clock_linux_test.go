package real

import (
	"testing"
	"time"
)

// TestTick: sessions end at whole ticks of the monotonic clock.
func TestTick(t *testing.T) {
	s := &server{tick: 200 * time.Millisecond}
	before := monotonic()
	if before == 0 {
		t.Fatal("the monotonic clock is not told")
	}
	now := time.Now()
	passed := monotonic() - before
	for _, after := range []time.Duration{0, time.Millisecond, 199 * time.Millisecond, time.Second} {
		at := s.Tick(now.Add(after))
		if wait := at.Sub(now.Add(after)); wait <= 0 || wait > s.tick {
			t.Errorf("the first tick after %v is after %v more", after, wait)
		}
		if off := (before + at.Sub(now)) % s.tick; off > time.Millisecond+passed && off < s.tick-passed-time.Millisecond {
			t.Errorf("%v before a tick", off)
		}
	}
}
