package confirm

import (
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestLeaders: who leads at the beginning, and who is elected then, in their order.
func TestLeaders(t *testing.T) {
	p := &plan{nodes: []string{"a", "b", "c"}, steps: []step{{kind: kills, node: "a"}, {kind: promotes, node: "c"}, {kind: restarts, node: "a"}, {kind: promotes, node: "a"}}}
	if got, want := p.leaders(), []string{"a", "c", "a"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestBehind: what comes after a step of members that took longer than in the trace keeps its distance to that, but for
// what requests make of the clients' own timers. So does all that comes after the first change of a record. Other steps do
// not put anything off.
func TestBehind(t *testing.T) {
	const late = 3 * time.Second
	for _, test := range []struct {
		failing bool
		slow    stepKind // the step that comes late
		next    stepKind
		want    time.Duration // until its turn
	}{
		{true, promotes, call, time.Second},
		{true, restarts, pauses, time.Second},
		{true, expires, call, time.Second},
		{true, promotes, executes, time.Second - late},
		{true, promotes, returned, time.Second - late},
		{true, answers, call, time.Second - late},
		{false, expires, call, time.Second - late},
		{false, takes, call, time.Second},
		{false, takes, executes, time.Second},
	} {
		d := &driver{plan: &plan{failing: test.failing}}
		d.Began = time.Now().Add(-10 * time.Second)
		slow := &step{kind: test.slow, at: 10*time.Second - late}
		d.delay(slow)
		got := d.due(&step{kind: test.next, at: slow.at + time.Second})
		if off := got - test.want; off.Abs() > margin {
			t.Errorf("%v: in %v, want %v", test, got, test.want)
		}
	}
}

// TestLateChange: a change of a record after a call has returned puts nothing off.
func TestLateChange(t *testing.T) {
	d := &driver{plan: &plan{steps: []step{{kind: returned}, {kind: takes}}}, position: 1}
	d.Began = time.Now().Add(-10 * time.Second)
	d.delay(&d.steps[1])
	if d.slow != 0 || d.behind != 0 {
		t.Errorf("it puts off %s, %s", d.slow, d.behind)
	}
}

// TestFailsBefore: a request has its effect at once if the member that has got it, or the one that leads, fails before the
// trace has the effect. A member that neither got it nor leads does not count.
func TestFailsBefore(t *testing.T) {
	at := func(seq int64, kind model.ObservationKind, node string) model.Observation {
		return model.Observation{Stamp: model.Stamp{Seq: seq}, Kind: kind, Node: node}
	}
	apart := at(6, model.Parted, "")
	apart.Sides = &model.Sides{A: []string{"a"}, B: []string{"b", "c"}}
	clients := at(6, model.Parted, "")
	clients.Sides = &model.Sides{A: []string{"c1"}, B: []string{"b", "c"}}
	for name, test := range map[string]struct { // unordered: each by itself
		seen []model.Observation
		want int64 // 0 if nothing fails
	}{
		"nothing":                      {nil, 0},
		"its member crashes":           {[]model.Observation{at(6, model.Crashed, "b")}, 6},
		"the leader hangs":             {[]model.Observation{at(6, model.Paused, "a")}, 6},
		"a third member crashes":       {[]model.Observation{at(6, model.Crashed, "c")}, 0},
		"one that led before":          {[]model.Observation{at(4, model.Promoted, "c"), at(6, model.Crashed, "a")}, 0},
		"one that leads now":           {[]model.Observation{at(4, model.Promoted, "c"), at(6, model.Crashed, "c")}, 6},
		"it failed before the request": {[]model.Observation{at(4, model.Crashed, "a")}, 0},
		"it fails after the effect":    {[]model.Observation{at(9, model.Crashed, "a")}, 0},
		"members are cut off":          {[]model.Observation{apart}, 6},
		"clients are cut off":          {[]model.Observation{clients}, 0},
	} {
		r := &reading{plan: &plan{nodes: []string{"a", "b", "c"}}, trace: &traces.Trace{History: model.History{Observations: test.seen}}}
		got := r.failsBefore(&sim.Event{Seq: 5, Actor: "b"}, 8)
		if got == nil && test.want != 0 || got != nil && got.Seq != test.want {
			t.Errorf("%s: %+v, want event %d", name, got, test.want)
		}
	}
}

// TestTurnedAway: the first request of a connection that its member closes at once in place of an answer is no step.
func TestTurnedAway(t *testing.T) {
	asks := message("n1", "c2", 2, 0, 10, "1 connect")
	closes := func(at int) sim.Event {
		return sim.Event{Kind: sim.EventClose, Actor: "c2", Peer: "n1", Conn: 2, At: time.Duration(at) * time.Millisecond}
	}
	for name, test := range map[string]struct { // unordered: each by itself
		failing bool
		events  []sim.Event
		steps   int
	}{
		"turned away":         {true, []sim.Event{asks, closes(11)}, 0},
		"no member can fail":  {false, []sim.Event{asks, closes(11)}, 1},
		"closed later":        {true, []sim.Event{asks, closes(1011)}, 1},
		"answered":            {true, []sim.Event{asks, message("c2", "n1", 2, 10, 11, "1 5"), closes(12)}, 1},
		"not the first":       {true, []sim.Event{asks, message("n1", "c2", 2, 0, 10, "2 get"), closes(1011)}, 2},
		"the second is alone": {true, []sim.Event{asks, message("c2", "n1", 2, 10, 11, "1 5"), message("n1", "c2", 2, 11, 12, "2 get"), closes(13)}, 2},
	} {
		for i := range test.events {
			if test.events[i].Seq = int64(i + 1); test.events[i].Kind == "" {
				test.events[i].Kind = sim.EventDeliver
			}
		}
		r := &reading{plan: &plan{clients: []string{"c2"}, nodes: []string{"n1"}, ensemble: lines{}, failing: test.failing}, trace: &traces.Trace{Events: test.events}, store: lines{}, until: 100}
		r.converse()
		r.requests()
		steps := 0
		for i := range r.steps {
			if r.steps[i].kind == executes {
				steps++
			}
		}
		if steps != test.steps {
			t.Errorf("%s: %d requests are steps, want %d", name, steps, test.steps)
		}
	}
}
