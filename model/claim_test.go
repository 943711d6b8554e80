package model_test

import (
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestClaims checks where claims begin and end: one acquisition with operations
// that follow it, one event each millisecond.
func TestClaims(t *testing.T) {
	const ms = time.Millisecond
	at := func(n int64) model.Stamp { return model.Stamp{Seq: n, At: time.Duration(n) * ms} }
	acquire := func(until time.Duration) model.Operation {
		return model.Operation{ID: 1, Client: "c1", Kind: model.Acquire, Acquisition: 1, Call: at(1), Return: at(2), Result: model.OK, Leased: until > 0, Until: until}
	}
	op := func(kind model.OpKind, call int64, until time.Duration) model.Operation {
		return model.Operation{Client: "c1", Kind: kind, Acquisition: 1, Call: at(call), Return: at(call + 1), Result: model.OK, Leased: until > 0, Until: until}
	}
	failed := func(o model.Operation) model.Operation { o.Result = model.Failed; return o }
	lost := func(o model.Operation, n int64) model.Operation { o.Lost = at(n); return o }
	for _, c := range []struct {
		name       string
		operations []model.Operation
		stands     []int64 // the events from 1 to 20 at which a claim stands
		claims     int
	}{
		{"to the end", []model.Operation{acquire(0)}, span(2, 20), 1},
		{"until a release", []model.Operation{acquire(0), op(model.Release, 9, 0), op(model.Release, 5, 0)}, span(2, 4), 1},
		{"a failed release ends it as well", []model.Operation{acquire(0), failed(op(model.Release, 5, 0))}, span(2, 4), 1},
		{"until lost", []model.Operation{lost(acquire(12*ms), 7)}, span(2, 6), 1},
		{"until the end of the lease", []model.Operation{acquire(10 * ms)}, span(2, 9), 1},
		{"ended before it began", []model.Operation{acquire(ms)}, nil, 1},
		{"extended in time", []model.Operation{acquire(10 * ms), op(model.Extend, 4, 15*ms)}, span(2, 14), 1},
		{"an extension that failed", []model.Operation{acquire(10 * ms), failed(op(model.Extend, 4, 15*ms))}, span(2, 9), 1},
		{"extended too late", []model.Operation{acquire(6 * ms), op(model.Extend, 8, 15*ms)}, append(span(2, 5), span(9, 14)...), 2},
		{"seen by an access", []model.Operation{acquire(6 * ms), op(model.Write, 8, 15*ms)}, append(span(2, 5), span(8, 14)...), 2},
		{"extended after the release", []model.Operation{acquire(6 * ms), op(model.Release, 7, 0), op(model.Extend, 8, 15*ms)}, span(2, 5), 1},
		{"an earlier end", []model.Operation{acquire(15 * ms), op(model.Extend, 4, 9*ms)}, span(2, 8), 1},
		{"an earlier end that has passed", []model.Operation{acquire(15 * ms), op(model.Extend, 9, 5*ms)}, span(2, 9), 1},
		{"an earlier end that has passed, and a later one", []model.Operation{acquire(15 * ms), op(model.Extend, 9, 5*ms), op(model.Extend, 11, 14*ms)}, append(span(2, 9), span(12, 13)...), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &model.History{Operations: c.operations, End: at(20)}
			for i := range h.Operations {
				h.Operations[i].ID = i + 1
			}
			claims := model.Claims(h)
			var stands []int64
			for n := range int64(20) {
				if slices.ContainsFunc(claims, func(c model.Claim) bool { return c.Stands(at(n + 1)) }) {
					stands = append(stands, n+1)
				}
			}
			if !slices.Equal(stands, c.stands) || len(claims) != c.claims {
				t.Errorf("%d claims that stand at %v, want %d at %v", len(claims), stands, c.claims, c.stands)
			}
		})
	}
}

// TestClaimsGoByTheClientsClock: an end comes earlier when the client's clock jumps ahead,
// until the client looks again.
func TestClaimsGoByTheClientsClock(t *testing.T) {
	const ms = time.Millisecond
	at := func(n int64) model.Stamp { return model.Stamp{Seq: n, At: time.Duration(n) * ms} }
	jump := func(node string, n int64, by time.Duration) model.Observation {
		return model.Observation{Stamp: at(n), Kind: model.ClockJumped, Node: node, Ahead: by}
	}
	unread := func(o model.Observation) model.Observation { o.Unread = true; return o }
	look := model.Operation{ID: 2, Client: "c1", Kind: model.Write, Acquisition: 1, Call: at(8), Return: at(9), Result: model.OK, Leased: true, Until: 15 * ms}
	for _, c := range []struct {
		name  string
		looks []model.Operation
		world []model.Observation
		until time.Duration
		from  int64 // of the last claim
	}{
		{name: "past the end", world: []model.Observation{jump("c1", 5, 12*ms)}, until: 5 * ms, from: 2},
		{name: "not as far", world: []model.Observation{jump("c1", 5, 3*ms)}, until: 7 * ms, from: 2},
		{name: "twice", world: []model.Observation{jump("c1", 5, 2*ms), jump("c1", 6, 2*ms)}, until: 6 * ms, from: 2},
		{name: "before it was acquired", world: []model.Observation{jump("c1", 1, 12*ms)}, until: 10 * ms, from: 2},
		{name: "after the end", world: []model.Observation{jump("c1", 11, 12*ms)}, until: 10 * ms, from: 2},
		{name: "back", world: []model.Observation{jump("c1", 5, -12*ms)}, until: 10 * ms, from: 2},
		{name: "back, and less ahead", world: []model.Observation{jump("c1", 5, -6*ms), jump("c1", 6, 4*ms)}, until: 10 * ms, from: 2},
		{name: "back, and more ahead", world: []model.Observation{jump("c1", 5, -2*ms), jump("c1", 6, 4*ms)}, until: 8 * ms, from: 2},
		{name: "ahead, and back", world: []model.Observation{jump("c1", 5, 2*ms), jump("c1", 6, -4*ms)}, until: 8 * ms, from: 2},
		{name: "of a clock that its code never reads", world: []model.Observation{unread(jump("c1", 5, 12*ms))}, until: 10 * ms, from: 2},
		{name: "another's", world: []model.Observation{jump("c2", 5, 12*ms)}, until: 10 * ms, from: 2},
		{name: "by a clock that is twice as fast", world: []model.Observation{
			{Kind: model.ClockOff, Node: "c1", Rate: 1_000_000}, jump("c1", 5, 6*ms),
		}, until: 7 * ms, from: 2},
		{name: "with a look thereafter", looks: []model.Operation{look}, world: []model.Observation{jump("c1", 5, ms)}, until: 15 * ms, from: 2},
		{name: "past the end, with a look thereafter", looks: []model.Operation{look}, world: []model.Observation{jump("c1", 5, 12*ms)}, until: 15 * ms, from: 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &model.History{End: at(20), Observations: c.world, Operations: append([]model.Operation{{
				ID: 1, Client: "c1", Kind: model.Acquire, Acquisition: 1, Call: at(1), Return: at(2), Result: model.OK, Leased: true, Until: 10 * ms,
			}}, c.looks...)}
			claims := model.Claims(h)
			if last := claims[len(claims)-1]; last.Until != c.until || last.Start.Seq != c.from {
				t.Errorf("the last claim is from event %d to %v, want %d and %v", last.Start.Seq, last.Until, c.from, c.until)
			}
		})
	}
}

// TestClaimsEndWithACrash: of the same process, after the call.
func TestClaimsEndWithACrash(t *testing.T) {
	crash := func(node string, seq int64) model.Observation {
		return model.Observation{Stamp: model.Stamp{Seq: seq, At: time.Duration(seq)}, Node: node, Kind: model.Crashed}
	}
	h := &model.History{
		Operations: []model.Operation{{
			ID: 1, Client: "c1", Kind: model.Acquire, Acquisition: 1, Result: model.OK,
			Call: model.Stamp{Seq: 3, At: 3}, Return: model.Stamp{Seq: 4, At: 4},
		}},
		Observations: []model.Observation{crash("c1", 1), crash("c2", 5), crash("c1", 8), crash("c1", 9)},
	}
	claims := model.Claims(h)
	if len(claims) != 1 || claims[0].Stop.Seq != 8 || claims[0].Stopped != model.StopCrashed {
		t.Errorf("%+v, want one that the crash at 8 ends", claims)
	}
}

// span are the numbers from one to another.
func span(from, to int64) (list []int64) {
	for n := from; n <= to; n++ {
		list = append(list, n)
	}
	return list
}
