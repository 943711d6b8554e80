package monitor_test

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/model"
)

// TestOnline: a monitor says so at the first event that no answer to what is
// still open can make up for.
func TestOnline(t *testing.T) {
	var h tape
	first := h.call("c1", model.Acquire)
	second := h.call("c2", model.Acquire)
	h.answer(first, model.OK)
	h.answer(second, model.OK)
	h.does("c1", model.Release)
	m, err := monitor.New(model.Spec{Kind: model.KindMutex})
	if err != nil {
		t.Fatal(err)
	}
	m.Call(&h.calls[0])
	m.Call(&h.calls[1])
	m.Return(&h.calls[0])
	if r := m.Result(); r.Status != model.Holds {
		t.Errorf("after the first acquire: %+v", r)
	}
	m.Return(&h.calls[1])
	r := m.Result()
	if r.Status != model.Violated || r.Violation.At != 4 || r.Violation.Rule != monitor.Exclusion {
		t.Errorf("after the second: %+v", r)
	}
	m.Call(&h.calls[2])
	m.End()
	if again := m.Result(); again.Violation != r.Violation {
		t.Errorf("later: %+v", again.Violation)
	}
}

// TestSmallest has, for each rule of each kind, the smallest history that breaks
// it, and the nearest that does not.
func TestSmallest(t *testing.T) {
	acquire, release := model.Acquire, model.Release
	try := func(h *tape, client string, op model.OpKind, outcome model.Outcome) {
		id := h.call(client, op)
		h.calls[id-1].Try = true
		h.answer(id, outcome)
	}
	for _, test := range []struct {
		name string
		spec model.Spec
		rule monitor.Rule // empty if it is legal
		tell func(h *tape)
	}{
		{"two hold a mutex", model.Spec{Kind: model.KindMutex}, monitor.Exclusion, func(h *tape) {
			h.does("c1", acquire)
			h.does("c2", acquire)
		}},
		{"one crashed", model.Spec{Kind: model.KindMutex}, "", func(h *tape) {
			h.does("c1", acquire)
			h.call("c1", model.Crash)
			h.does("c2", acquire)
		}},
		{"one release of unknown outcome ends one hold", model.Spec{Kind: model.KindMutex}, monitor.Exclusion, func(h *tape) {
			h.does("c1", acquire)
			h.call("c1", release)
			h.does("c2", acquire)
			h.does("c2", release)
			h.does("c1", acquire)
			h.does("c3", acquire)
		}},
		{"or a later one", model.Spec{Kind: model.KindMutex}, "", func(h *tape) {
			h.does("c1", acquire)
			h.call("c1", release)
			h.does("c1", release)
			h.does("c1", acquire)
			h.does("c3", acquire)
		}},
		{"released after it was taken", model.Spec{Kind: model.KindLeased}, monitor.Release, func(h *tape) {
			h.does("c1", acquire).Until = 3
			h.does("c2", acquire)
			h.does("c1", release)
		}},
		{"expired, and taken", model.Spec{Kind: model.KindLeased}, "", func(h *tape) {
			h.does("c1", acquire).Until = 3
			h.does("c2", acquire)
			h.does("c2", release)
		}},
		{"a token again", model.Spec{Kind: model.KindFenced}, monitor.Tokens, func(h *tape) {
			for _, client := range []string{"c1", "c2"} {
				c := h.does(client, acquire)
				c.Fenced, c.Token = true, 7
				h.does(client, release)
			}
		}},
		{"a try on a free mutex", model.Spec{Kind: model.KindMutex}, monitor.Try, func(h *tape) {
			h.does("c1", acquire)
			h.does("c1", release)
			try(h, "c2", acquire, model.Failed)
		}},
		{"a try while it may be held", model.Spec{Kind: model.KindMutex}, "", func(h *tape) {
			h.does("c1", acquire)
			open := h.call("c1", release)
			try(h, "c2", acquire, model.Failed)
			h.answer(open, model.OK)
		}},
		{"once too often", model.Spec{Kind: model.KindReentrant, Limit: 1}, monitor.Exclusion, func(h *tape) {
			h.does("c1", acquire)
			h.does("c1", acquire)
		}},
		{"released too often", model.Spec{Kind: model.KindReentrant}, monitor.Release, func(h *tape) {
			h.does("c1", acquire)
			h.does("c1", release)
			h.does("c1", release)
		}},
		{"a writer beside a reader", model.Spec{Kind: model.KindReadWrite}, monitor.Exclusion, func(h *tape) {
			h.does("c1", model.AcquireRead)
			h.does("c2", model.AcquireWrite)
		}},
		{"readers, and a writer who reads", model.Spec{Kind: model.KindReadWrite}, "", func(h *tape) {
			h.does("c1", model.AcquireRead)
			h.does("c2", model.AcquireRead)
			try(h, "c3", model.AcquireWrite, model.Failed)
			h.does("c1", model.ReleaseRead)
			h.does("c2", model.ReleaseRead)
			h.does("c3", model.AcquireWrite)
			h.does("c3", model.AcquireRead)
		}},
		{"a try to read among readers", model.Spec{Kind: model.KindReadWrite}, monitor.Try, func(h *tape) {
			h.does("c1", model.AcquireRead)
			try(h, "c2", model.AcquireRead, model.Failed)
		}},
		{"a permit too many", model.Spec{Kind: model.KindSemaphore, Permits: 3}, monitor.Exclusion, func(h *tape) {
			h.does("c1", acquire).N = 2
			h.does("c2", acquire).N = 2
		}},
		{"a try for a permit that is free", model.Spec{Kind: model.KindSemaphore, Permits: 2}, monitor.Try, func(h *tape) {
			h.does("c1", acquire)
			try(h, "c2", acquire, model.Failed)
		}},
		{"permits given back too often", model.Spec{Kind: model.KindSemaphore, Permits: 2}, monitor.Release, func(h *tape) {
			h.does("c1", acquire)
			h.does("c1", release)
			h.does("c1", release)
		}},
		{"awaited too early", model.Spec{Kind: model.KindLatch, Count: 2}, monitor.Passed, func(h *tape) {
			h.does("c1", model.CountDown)
			h.does("c2", model.Await)
		}},
		{"awaited at zero, and not there", model.Spec{Kind: model.KindLatch, Count: 1}, monitor.Stayed, func(h *tape) {
			h.does("c1", model.CountDown)
			try(h, "c2", model.Await, model.Failed)
		}},
		{"a barrier alone", model.Spec{Kind: model.KindBarrier, Parties: 2}, monitor.Passed, func(h *tape) {
			h.does("c1", model.Await)
		}},
		{"a barrier with one who may be there", model.Spec{Kind: model.KindBarrier, Parties: 2}, "", func(h *tape) {
			h.call("c1", model.Await)
			h.does("c2", model.Await)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var h tape
			test.tell(&h)
			r, err := monitor.Judge(test.spec, h.calls, monitor.Bound{Time: time.Second})
			switch {
			case err != nil:
				t.Fatal(err)
			case r.Searched || (test.rule == "") != (r.Status == model.Holds):
				t.Errorf("%+v, %+v", r, r.Violation)
			case test.rule != "" && (r.Status != model.Violated || r.Violation.Rule != test.rule || len(r.Violation.Calls) == 0):
				t.Errorf("%+v, %+v", r, r.Violation)
			}
		})
	}
}

// TestJudge: what is not judged, and how it is said.
func TestJudge(t *testing.T) {
	if _, err := monitor.Judge(model.Spec{Kind: model.KindSemaphore}, nil, monitor.Bound{}); err == nil {
		t.Error("a semaphore without permits")
	}
	var h tape
	h.does("c1", model.Write)
	r, err := monitor.Judge(model.Spec{Kind: model.KindRegister}, h.calls, monitor.Bound{Time: time.Second})
	if err != nil || r.Status != model.Holds || !r.Searched {
		t.Errorf("a register: %+v, %v", r, err)
	}
	if _, err := monitor.New(model.Spec{Kind: model.KindRegister}); err == nil {
		t.Error("there is a monitor for a register")
	}
}
