package stress

import (
	"testing"
	"time"
)

// TestPatience: a client may wait longer on a busy machine, and not without end.
func TestPatience(t *testing.T) {
	r := &run{Stand: &Stand{Target: &Target{Wait: time.Second}}}
	for _, c := range []struct{ slack, want time.Duration }{
		{0, time.Second}, {500 * time.Millisecond, 1500 * time.Millisecond}, {2 * time.Second, 3 * time.Second}, {time.Hour, 3 * time.Second},
	} {
		if r.slack = c.slack; r.patience() != c.want {
			t.Errorf("slack %s: %s, want %s", c.slack, r.patience(), c.want)
		}
	}
}
