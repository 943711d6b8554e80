package scenarios_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock/redislocks/flawed"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestGetSetStories searches for what the documents report of the takeover by GETSET
// and no property forbids, since it ends by itself, or none distinguishes from what
// else happens there: it is seen in what the store did.
func TestGetSetStories(t *testing.T) {
	slowtest.SkipIfShort(t)
	const most = 200
	for _, e := range []struct {
		name, lock, scenario string
		settings             []string
		is                   func(*model.History) bool
		found                bool
	}{
		{"a loser changes the winner's value", "setnx-getset", "gc-pause", []string{"clients", "6"}, overwritten, true},
		{"ends of the same millisecond pass for one another", "setnx-getset", "hung-node", nil, sameEnd, true},
		// The lease ends about when its holder releases it.
		{"who finds nothing locks itself out", "setnx-getset-nil", "contention", []string{"lease", "430ms"}, lockedOut, true},
		{"who finds nothing has the lock", "setnx-getset", "contention", []string{"lease", "430ms"}, lockedOut, false},
		{"who finds nothing throws, and has the lock", "setnx-getset-as-printed", "contention", nil, thrownHolding, true},
	} {
		t.Run(e.name, func(t *testing.T) {
			c := cells.Of(t, e.scenario, e.lock, e.settings...)
			for schedule := range most {
				out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
				if out.Failure != nil {
					t.Fatal(out.Failure.Reason)
				}
				if !e.is(&out.Recording.History) {
					continue
				}
				if !e.found {
					t.Errorf("it is so in schedule %d", schedule)
				}
				return
			}
			if e.found {
				t.Errorf("not found in %d schedules", most)
			}
		})
	}
}

// overwritten: a client that holds the lock learns at its release that it does
// not, since another, who has not got it, has written another value.
func overwritten(h *model.History) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		winner, loser := h.Operation(o.OldOwner.Op), h.Operation(o.Owner.Op)
		if o.Kind != model.RecordChanged || o.Authority == "" || winner == nil || loser == nil || winner.Client == loser.Client || winner.Result != model.OK {
			continue
		}
		denied := slices.IndexFunc(h.Operations, func(r model.Operation) bool {
			return r.Kind == model.Release && r.Acquisition == winner.ID && r.NotHeld && r.Call.Seq > o.Seq && r.Return.Seq < loser.Return.Seq
		})
		if denied >= 0 && loser.Return.At-o.At > h.TTL/2 {
			return true
		}
	}
	return false
}

// lockedOut: a client finds no lock and writes its own, and does not have it for as
// long as a lease lasts.
func lockedOut(h *model.History) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		x := h.Operation(o.By.Op)
		if o.Kind == model.RecordCreated && o.Authority != "" && x != nil && x.Kind == model.Acquire && x.Return.At-o.At >= h.TTL*3/4 && !late(h, x.Client, o.At) {
			return true
		}
	}
	return false
}

// late reports whether a client stopped, or anything that it sent or is sent was
// held back, after some time, or until then.
func late(h *model.History, client string, from time.Duration) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		held := o.Kind == model.Paused && o.Node == client || o.Kind == model.Delayed
		if held && o.At+o.For >= from {
			return true
		}
	}
	return false
}

// thrownHolding: an Acquire that fails by the slip of the listing has taken the
// lock.
func thrownHolding(h *model.History) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		x := h.Operation(o.By.Op)
		if o.Kind != model.RecordCreated || x == nil || !strings.Contains(x.Err, flawed.ErrNullPointer.Error()) {
			continue
		}
		gone := slices.ContainsFunc(h.Observations[i+1:], func(o model.Observation) bool { return o.Authority != "" && o.Key != "" && o.Seq < x.Return.Seq })
		if !gone {
			return true
		}
	}
	return false
}

// sameEnd: a client removes the lock of another that has the same value as its own.
func sameEnd(h *model.History) bool {
	own := map[int]string{}
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Authority == "" {
			continue
		}
		if o.Kind == model.RecordCreated || o.Kind == model.RecordChanged {
			own[o.Owner.Op] = o.Value
		}
		if by := h.Operation(o.By.Op); o.Kind == model.RecordDeleted && by != nil && by.Client != o.Owner.Client && own[by.Acquisition] == o.Value {
			return true
		}
	}
	return false
}
