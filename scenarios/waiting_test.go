package scenarios_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// woken are the built-in locks whose waiters are woken by a message.
var woken = []string{"reentrant", "watchdog", "fair", "readwrite", "semaphore", "permit-semaphore", "latch", "barrier"}

// TestLostWakeup searches, with the default strategy and budget, for those who rely
// on a message that may be lost: for ever, or until the lock would have expired.
func TestLostWakeup(t *testing.T) {
	if cells.GoRedis() != cells.OldestGoRedis {
		t.Skip("how soon they are found is known with go-redis " + cells.OldestGoRedis)
	}
	for _, e := range []struct{ lock, property string }{
		{"test-lease-looks-once", checker.Progress},
		{"test-lease-deaf", checker.Progress},
		{"test-lease-deaf-sleeps", checker.BoundedWakeup},
	} {
		if !cells.Sampled(e.lock, 3) {
			continue
		}
		t.Run(e.lock, func(t *testing.T) {
			t.Parallel()
			found := survey(t, cells.Of(t, "lost-wakeup", e.lock), locktest.DefaultRuns, asFaults(e.property))
			if !slices.Equal(found, asFaults(e.property)) {
				t.Errorf("found %v, want %s and nothing else", found, e.property)
			}
		})
	}
}

// TestMessagesAreLost: in the scenario messages are on their way to waiters of every
// lock that is woken by them when their connections break, and nobody minds.
func TestMessagesAreLost(t *testing.T) {
	for _, lock := range woken {
		t.Run(lock, func(t *testing.T) {
			c := cells.Of(t, "lost-wakeup", lock)
			lost := false
			for schedule := 0; schedule < 500 && !lost; schedule++ {
				out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
				for _, v := range out.Verdicts {
					if v.Status == model.Violated {
						t.Errorf("schedule %d: %s", schedule, v.Sentence)
					}
				}
				lost = slices.ContainsFunc(out.Recording.Events, func(e sim.Event) bool {
					return e.Kind == sim.EventDrop && strings.Contains(string(e.Payload), "\r\nmessage\r\n")
				})
			}
			if !lost {
				t.Error("vacuous: no message was lost")
			}
		})
	}
}

// TestWakeupsSurviveFailover: nobody sleeps on when a replica is promoted, which has
// no subscribers. (Locks whose objects do not run out are lost with their store, and
// progress with them.) A place that an Acquire of unknown outcome has left in fair's queue
// delays the next waiter; so answers are lost and nothing is late.
func TestWakeupsSurviveFailover(t *testing.T) {
	for _, lock := range []string{"reentrant", "watchdog", "fair", "readwrite", "permit-semaphore"} {
		t.Run(lock, func(t *testing.T) {
			t.Parallel()
			c := cells.Of(t, "lost-wakeup", lock, "replicas", "1", "failovers", "1", "late-requests", "0", "sizes", "0")
			for _, v := range survey(t, c, schedules(t, 60, 3000), nil) {
				if !v.Limit {
					t.Errorf("%s is violated", v)
				}
			}
		})
	}
}

// TestLongHolds: a lock that renews its leases is held for longer than one, and
// others are not.
func TestLongHolds(t *testing.T) {
	for _, lock := range []string{"watchdog", "pull-renew", "test-watchdog-silent", "setpx", "pull", "reentrant"} {
		c := cells.Of(t, "watchdog-late", lock)
		out := c.Run(explore.Run{Tape: sim.Calm{}, Record: true})
		for _, v := range out.Verdicts {
			if v.Status == model.Violated {
				t.Errorf("%s, though nothing happens: %s", lock, v.Sentence)
			}
		}
		for _, length := range holds(&out.Recording.History) {
			if long := length > 4*c.Params.TTL; long != c.Lock.Renews {
				t.Errorf("%s is held for %v", lock, length)
			}
		}
	}
}

// holds are how long the lock was held each time, from the return of an Acquire to
// the call of the Release.
func holds(h *model.History) (lengths []time.Duration) {
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Kind == model.Release {
			lengths = append(lengths, op.Call.At-h.Operation(op.Acquisition).Return.At)
		}
	}
	return lengths
}

// TestWatchdogLate: whoever has only the watchdog to go by is beside another when a
// renewal has come too late; whoever asks, or is told, leaves, if late for an access.
func TestWatchdogLate(t *testing.T) {
	for _, e := range []struct {
		lock string
		must []model.Violation
	}{
		{"test-watchdog-silent", asFaults(append(slices.Clip(twoHolders), checker.TimelyLoss)...)},
		{"watchdog", limits(checker.Overrun)},
	} {
		t.Run(e.lock, func(t *testing.T) {
			t.Parallel()
			c := cells.Of(t, "watchdog-late", e.lock)
			found := survey(t, c, locktest.DefaultRuns, e.must)
			for _, v := range found {
				if !slices.Contains(e.must, v) {
					t.Errorf("%s is violated, and nothing but %v may be", v, e.must)
				}
			}
			if len(found) < len(e.must) {
				t.Errorf("found %v, want %v", found, e.must)
			}
		})
	}
}
