package together

import (
	"context"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql/builtin"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// TestWatchedLock watches a lock in MySQL beside three independent servers of Redis. Who has it is
// decided by MySQL alone: not by a majority, of which Redis would be most. The sound lock is silent, and
// its flawed twin, whose row lock ends with the statement, has two holders.
func TestWatchedLock(t *testing.T) {
	for id, want := range map[string]model.Status{"db-unique-lease": model.Holds, "db-row-autocommit": model.Violated} { // unordered: each by itself
		t.Run(id, func(t *testing.T) {
			c := watching(t, id, nil)
			if n := len(c.Actors()); n != 2+3*2+2 {
				t.Fatalf("%d lanes: want two processes, three servers of Redis and one of MySQL, each with a follower", n)
			}
			got := model.Holds
			for seed := range uint64(60) {
				for _, v := range c.Run(explore.Run{Tape: tape(seed)}).Verdicts {
					switch {
					case v.Property == checker.MutualExclusion && v.Status == model.Violated:
						got = v.Status
					case v.Status == model.Violated && want == model.Holds:
						t.Errorf("schedule %d: %s: %s", seed, v.Property, v.Sentence)
					}
				}
			}
			if got != want {
				t.Errorf("mutual exclusion: %s, want %s", got, want)
			}
		})
	}
}

// TestWatchedLockThatAsksNobody: a lock that leaves nothing in the store has not been granted, even in a run in which nothing
// at all is observed.
func TestWatchedLockThatAsksNobody(t *testing.T) {
	causes := map[string]string{}
	for _, v := range watching(t, "db-unique-lease", asksNobody{}).Run(explore.Run{Tape: tape(1)}).Verdicts {
		causes[v.Property] = v.Cause
	}
	for _, property := range []string{checker.MutualExclusion, checker.TruthfulAcquire} {
		if causes[property] != model.NeverGranted {
			t.Errorf("%s is violated by %q, want %s", property, causes[property], model.NeverGranted)
		}
	}
}

// asksNobody is a lock, and a lease, that succeeds without a request.
type asksNobody struct{}

func (asksNobody) Acquire(context.Context) (lock.Lease, error) { return asksNobody{}, nil }
func (asksNobody) Release(context.Context) error               { return nil }

// watching is a program that uses a lock, by default a built-in one in MySQL, beside Redis, in the calm scenario.
func watching(t *testing.T, id string, locker lock.Locker) cell.Cell {
	known := cell.Registry{Locks: builtin.Locks()}
	l, err := known.Lock(id)
	if err != nil {
		t.Fatal(err)
	}
	p := cell.Program{
		ID: id, Stores: []stage.Store{redis.Store, l.Store}, Needs: cell.Needs{Servers: 3, Followers: 1},
		Rules:    []program.Rule{program.Reachable("a process has the lock")},
		Readings: map[string]cell.Reading{"row": l.Reading},
		Main: func(p *cell.Process) error {
			inner := locker
			if inner == nil {
				inner = l.Construct(p.Reach("mysql", "the schema of the lock")).(lock.Locker)
			}
			locker := p.Watch("row", inner)
			for range 2 {
				lease, err := locker.Acquire(p.Context())
				if err != nil {
					return err
				}
				p.Reachable("a process has the lock")
				p.Clock().Sleep(100 * time.Millisecond)
				if err := lease.Release(context.WithoutCancel(p.Context())); err != nil {
					return err
				}
			}
			return nil
		},
	}
	made, err := p.Lock()
	if err != nil {
		t.Fatal(err)
	}
	c, err := scenarios.Registry([]cell.Lock{made}).Cell("contention", id, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tape deviates from calm as decisions ask, from a seed.
type tape uint64

func (seed tape) Choose(d sim.Decision) int {
	var h sim.Digest
	h.Uint(uint64(seed))
	h.String(d.ID())
	if d.Odds > 0 && h.Sum()%uint64(d.Odds) > 0 {
		return 0
	}
	h.Uint(1)
	return int(h.Sum() % uint64(d.Options))
}
