package confirm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
	"github.com/lockpick-dev/lockpick/traces"
)

// found is a kind of counterexample that a short search finds.
type found struct {
	scenario, lock, property string
	settings                 []traces.Parameter
	happens                  func(*model.History) bool // what the trace is to have
	limit                    bool
}

// trace searches it: the first schedule in which the lock has the fault, or comes to the limit.
func (f *found) trace(t *testing.T) *traces.Trace {
	t.Helper()
	c, err := scenarios.Registry(builtin.Locks()).Cell(f.scenario, f.lock, f.settings)
	if err != nil {
		t.Fatal(err)
	}
	for schedule := range 400 {
		out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
		for _, v := range out.Verdicts {
			if v.Property == f.property && v.Status == model.Violated && v.Limit == f.limit && f.happens(until(out.Recording.History, v.To.Seq)) {
				return c.Trace(1, schedule, f.property, out)
			}
		}
	}
	t.Fatal("no schedule shows it")
	return nil
}

func cancelled(h *model.History) bool {
	for i := range h.Operations {
		if h.Operations[i].Cancelled.Happened() {
			return true
		}
	}
	return false
}

func observed(kind model.ObservationKind) func(*model.History) bool {
	return func(h *model.History) bool {
		for i := range h.Observations {
			if h.Observations[i].Kind == kind {
				return true
			}
		}
		return false
	}
}

// until is a history with what was observed up to an event.
func until(h model.History, seq int64) *model.History {
	h.Observations = slices.DeleteFunc(slices.Clone(h.Observations), func(o model.Observation) bool { return o.Seq > seq })
	return &h
}

// survives reports whether a record was there before its node started again, and is there after that.
func survives(h *model.History) bool {
	there, back := map[string]bool{}, map[string]bool{}
	for i := range h.Observations {
		switch o := &h.Observations[i]; o.Kind {
		case model.RecordCreated:
			there[o.Key] = true
		case model.RecordExpired, model.RecordDropped:
			delete(there, o.Key)
			delete(back, o.Key)
		case model.Returned:
			for key := range there { // unordered: into a map
				back[key] = true
			}
		case model.RecordDeleted:
			if back[o.Key] {
				return true
			}
			delete(there, o.Key)
		}
	}
	return false
}

// kinds are counterexamples of what happens to clients, and of a node that keeps what it has.
var kinds = map[string]found{
	"a call that is cancelled":      {scenario: "cancel", lock: "setpx-twostep", property: "no-orphan", settings: []traces.Parameter{{Name: "clients", Value: "1"}, {Name: "rounds", Value: "2"}}, happens: cancelled},
	"a clock that jumps":            {scenario: "clock-skew", lock: "setnx-timestamp-del", property: "owner-only-release", settings: []traces.Parameter{{Name: "rounds", Value: "1"}, {Name: "skews", Value: "0"}}, happens: observed(model.ClockJumped)},
	"a clock that is off":           {scenario: "clock-skew", lock: "setnx-timestamp-del", property: "owner-only-release", settings: []traces.Parameter{{Name: "rounds", Value: "1"}, {Name: "clock-jumps", Value: "0"}}, happens: observed(model.ClockOff)},
	"a client that dies":            {scenario: "holder-crash", lock: "setnx", property: "progress", settings: []traces.Parameter{{Name: "ttl", Value: "500ms"}, {Name: "clients", Value: "2"}, {Name: "rounds", Value: "1"}, {Name: "threads", Value: "1"}}, happens: observed(model.Crashed)},
	"a node that keeps what it has": {scenario: "two-step-release", lock: "setpx-twostep", property: "owner-only-release", settings: []traces.Parameter{{Name: "clean-restarts", Value: "1"}}, happens: survives},
}

// TestFound: what happens to clients and nodes is made to happen on a real server, in one of some tries.
func TestFound(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	const most = 5
	for name, f := range kinds {
		t.Run(name, func(t *testing.T) {
			tr := f.trace(t)
			c := confirmation(t, tr, tr.Lock)
			for n := range most {
				try, err := c.Try(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if try.Confirmed {
					if !f.happens(try.History) {
						t.Error("the real run does not have what the trace has")
					}
					return
				}
				t.Logf("try %d: %v %s", n+1, try.Diverged, try.Other)
			}
			t.Errorf("not in %d tries", most)
		})
	}
}

// TestFoundRepaired: setpx in place of the flawed lock is never confirmed.
func TestFoundRepaired(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	for _, name := range []string{"a call that is cancelled", "a clock that jumps"} {
		f := kinds[name]
		try, err := confirmation(t, f.trace(t), "setpx").Try(t.Context())
		if err == nil && try.Confirmed {
			t.Errorf("%s: setpx was taken for %s", name, f.lock)
		}
		if err != nil && !strings.Contains(err.Error(), "the clock of") {
			t.Error(err)
		}
	}
}

// TestThreads: the threads of a process share its lock, and a wait that never ends is waited for until it is too long.
func TestThreads(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	tr := read(t, "pool-exhausted_setpx-void-as-printed_progress")
	try, err := confirmation(t, tr, tr.Lock).Try(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	threads := map[int]bool{}
	for i := range try.History.Operations {
		threads[try.History.Operations[i].Thread] = true
	}
	if len(threads) != 2 {
		t.Errorf("the operations are of threads %v, want 2", threads)
	}
	if !try.Confirmed {
		t.Logf("%v %s", try.Diverged, try.Other) // a busy machine is late
	}
}

// TestPlan: a run lasts until its violation is one.
func TestPlan(t *testing.T) {
	for name, want := range map[string]string{
		"pool-exhausted_setpx-void-as-printed_progress": "37", // of 129.6s
		"gc-pause_setpx_no-lost-update":                 "3.3",
	} {
		tr := read(t, name)
		takes, err := confirmation(t, tr, tr.Lock).Plan()
		if err != nil || !strings.HasPrefix(takes.String(), want) {
			t.Errorf("%s: %s %v, want %s", name, takes, err, want)
		}
	}
}

// TestLeftOut: what cannot be forced is left out if the violation does not need it.
func TestLeftOut(t *testing.T) {
	tr := read(t, "gc-pause_setpx_no-lost-update")
	o := model.Observation{Node: "redis1", Kind: model.Closed}
	o.Stamp = model.Stamp{Seq: tr.Events[4].Seq, At: tr.Events[4].At}
	tr.History.Observations = append([]model.Observation{o}, tr.History.Observations...)
	for needed, want := range map[bool]string{true: "closed", false: ""} {
		tr.Attribution = &traces.Attribution{Deviations: []traces.Deviation{{Seq: o.Seq, Needed: needed}}}
		c := confirmation(t, tr, tr.Lock)
		_, err := c.Plan()
		if got := err != nil; got != needed || got && !strings.Contains(err.Error(), want) {
			t.Errorf("needed %v: %v", needed, err)
		}
	}
}
