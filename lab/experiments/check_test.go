package experiments

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// Checks find out that the lock is lost, and the resource refuses the write of an older token.
func TestChecksCheck(t *testing.T) {
	for i, w := range checkWays {
		plan := checkPlan(check.Defaults(), w, 1)
		plan.Until, plan.From = 0, 0
		var before, after, stale error
		plan.Client = func(c *cell.Client) func(*lab.Thread) {
			nodes := redisstore.AllOptions(c)
			client, resource := redisClient(c, nodes[0], 1), redisClient(c, nodes[1], 1)
			l := w.of(client, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
			step := func(t *lab.Thread, h *lab.Hold) error {
				return errors.Join(w.before(t.Context(), h.Lease, time.Minute), w.write(t.Context(), resource, h.Lease))
			}
			return func(t *lab.Thread) {
				first := t.Acquire(l, 0)
				before = step(t, first)
				_ = client.Del(t.Context(), c.LockName()).Err()
				after = step(t, first)
				second := t.Acquire(l, 0)
				_ = step(t, second)
				stale = step(t, first)
			}
		}
		if _, _, err := lab.Run(plan, lab.Tape(1), false); err != nil {
			t.Fatal(err)
		}
		if before != nil {
			t.Errorf("%s: a step with the lock: %v", w.name, before)
		}
		wants := map[int][2]bool{ // that a step fails without the lock, and after another's
			checksNothing: {false, false}, checksRecord: {true, true}, checksByExtending: {true, true}, checksToken: {false, true},
		}[i]
		for n, err := range []error{after, stale} {
			if refused := err != nil; refused != wants[n] {
				t.Errorf("%s: a step without the lock, %d: %v", w.name, n, err)
			}
			if err != nil && !errors.Is(err, lock.ErrNotHeld) && !strings.Contains(err.Error(), "FENCED") {
				t.Errorf("%s: a step without the lock fails by %v", w.name, err)
			}
		}
	}
}

// The script of the resource is known after its first use, so that a write is one request.
func TestFencedWriteIsOneRequest(t *testing.T) {
	r := run(t, check, nil, 1, Values{"clients": 1, "duration": 200})
	for i := range checkWays {
		want := 5.0
		if i == checksRecord || i == checksByExtending {
			want = 10
		}
		if got := workRequests(r.Samples[i][0]); got != want {
			t.Errorf("%s: the work takes %v requests, want %v", checkWays[i].name, got, want)
		}
	}
}
