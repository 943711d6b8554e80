package scenarios_test

import (
	"context"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestClaimsEnd shows that a lease which knows its end does not claim the lock
// beyond it: with the very key and the very pauses that give setpx two
// holders, nobody believes in a lease that has run out. What is written in
// between a look at the lease and the access is another matter.
func TestClaimsEnd(t *testing.T) {
	schedules := 2000
	if testing.Short() {
		schedules = 200
	}
	c := cells.Of(t, "gc-pause", "test-leased")
	ended := 0
	for schedule := range schedules {
		out := c.Run(explore.Run{Tape: explore.Random(3, schedule), Record: true})
		if out.Failure != nil {
			t.Fatal(out.Failure.Reason, out.Failure.Stack)
		}
		for _, v := range out.Verdicts {
			switch {
			case v.Property == checker.MutualExclusion && v.Status != model.Holds:
				t.Errorf("schedule %d: %s %s", schedule, v.Status, v.Sentence)
			case v.Property == checker.Linearizable && v.Status != model.NotApplicable:
				t.Errorf("schedule %d: a leased lock is held to the plain mutex: %s", schedule, v.Status)
			}
		}
		for _, op := range out.Recording.History.Operations {
			if op.Lost.Happened() {
				ended++
			}
		}
	}
	if ended == 0 {
		t.Error("vacuous: no lease ever ended before its release")
	}
}

// TestClaimsOfOneWhoEntersAgain: to take a lock again prolongs the lease of the first
// hold, and what its client has seen of that is in the history by the time that it
// goes by it, though it looks in between, before it takes the lock again and writes.
func TestClaimsOfOneWhoEntersAgain(t *testing.T) {
	c := cells.Of(t, "contention", "reentrant")
	within := c.Lock
	c.Lock.Subject = cell.Reentrant(func(client *cell.Client) lock.Locker {
		return &prolonged{Locker: within.Construct(client).(lock.Locker), client: client}
	})
	out := c.Run(explore.Run{Tape: sim.Calm{}, Record: true})
	if out.Failure != nil {
		t.Fatal(out.Failure.Reason, out.Failure.Stack)
	}
	until := map[int]time.Duration{} // of each hold, at first
	learnt := 0
	for _, op := range out.Recording.History.Operations {
		first, known := until[op.Acquisition]
		switch {
		case op.Kind == model.Acquire && op.Result == model.OK:
			until[op.ID] = op.Until
		case op.Kind == model.Read && known && op.Leased && op.Until > first:
			learnt++
		}
	}
	if want := c.Params.Clients * c.Params.Rounds; learnt != want {
		t.Errorf("in %d holds the read after the second hold shows a later end, want %d", learnt, want)
	}
}

// prolonged is a lock whose leases last for as long as the one that was acquired last,
// and cannot be extended.
type prolonged struct {
	lock.Locker
	client *cell.Client
	until  time.Time
}

func (l *prolonged) Acquire(ctx context.Context) (lock.Lease, error) {
	lease, err := l.Locker.Acquire(ctx)
	l.until = l.client.Clock().Now().Add(l.client.TTL() * 3 / 4)
	return prolongedLease{lease, l}, err
}

type prolongedLease struct {
	lock.Lease
	locker *prolonged
}

func (l prolongedLease) Until() time.Time { return l.locker.until }
