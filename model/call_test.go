package model_test

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

func TestSpecValidate(t *testing.T) {
	for _, test := range []struct {
		spec model.Spec
		want string
	}{
		{model.Spec{}, `unknown kind ""; the kinds are mutex, `},
		{model.Spec{Kind: model.KindReentrant, Limit: -1}, "limit -1: want 0 (without limit) or more"},
		{model.Spec{Kind: model.KindSemaphore}, "semaphore with 0 permits: want 1 or more"},
		{model.Spec{Kind: model.KindPermitSemaphore}, "permit-semaphore with 0 permits: want 1 or more"},
		{model.Spec{Kind: model.KindBarrier}, "barrier for 0 parties: want 1 or more"},
		{model.Spec{Kind: model.KindLatch, Count: -1}, "count -1: want 0 or more"},
		{model.Spec{Kind: model.KindStock}, "stock without segments: want at least one"},
		{model.Spec{Kind: model.KindStock, Stock: []int64{1, -1}}, "stock [1 -1]: want 0 or more in each segment"},
	} {
		if err := test.spec.Validate(); err == nil || err.Error() != test.want && !(strings.HasSuffix(test.want, ", ") && strings.HasPrefix(err.Error(), test.want)) {
			t.Errorf("%+v: got %v, want %s", test.spec, err, test.want)
		}
	}
}

// TestSpecCheck: what is wrong is said, with the number of the call.
func TestSpecCheck(t *testing.T) {
	for _, test := range []struct {
		kind  model.Kind
		wrong func(*model.Call)
		want  string
	}{
		{model.KindMutex, func(*model.Call) {}, ""},
		{model.KindMutex, func(c *model.Call) { c.ID = 0 }, "call 0: no id: want a positive number"},
		{model.KindMutex, func(c *model.Call) { c.Client = "" }, "call 7: no client"},
		{model.KindMutex, func(c *model.Call) { c.Thread = -1 }, "call 7: thread -1: want 0 or more"},
		{model.KindMutex, func(c *model.Call) { c.Object = "" }, "call 7: no object"},
		{model.KindMutex, func(c *model.Call) { c.Op = "lock" }, `call 7: operation "lock": a mutex has acquire, release, expire, crash`},
		{model.KindMutex, func(c *model.Call) { c.Call = 0 }, "call 7: called at event 0: events are numbered from 1"},
		{model.KindMutex, func(c *model.Call) { c.Return = 2 }, "call 7: called at event 3, returned at event 2: want no return before the call"},
		{model.KindMutex, func(c *model.Call) { c.Return = 3 }, ""},
		{model.KindMutex, func(c *model.Call) { c.Return = 0 }, `call 7: outcome "ok" without a return: want unknown`},
		{model.KindMutex, func(c *model.Call) { c.Outcome = "fine" }, `call 7: outcome "fine": want ok, failed or unknown`},
		{model.KindMutex, func(c *model.Call) { c.Op = model.Crash }, "call 7: crash never returns: want no return, and the outcome unknown"},
		{model.KindMutex, func(c *model.Call) { c.Op, c.Outcome, c.Return, c.Object = model.Crash, model.Unknown, 0, "" }, ""},
		{model.KindMutex, func(c *model.Call) { c.Op, c.Outcome, c.Return = model.Expire, model.Unknown, 0 }, "call 7: expire: want the hold that it ends (of)"},
		{model.KindMutex, func(c *model.Call) { c.N = 1 }, "call 7: n 1: acquire of a mutex takes none"},
		{model.KindSemaphore, func(c *model.Call) { c.N = -1 }, "call 7: n -1: want 1 or more, or 0 for 1"},
		{model.KindCounter, func(c *model.Call) { c.Op, c.N = model.Add, -1 }, ""},
		{model.KindRegister, func(c *model.Call) { c.Op, c.Expected, c.N = model.Cas, 1, 2 }, ""},
		{model.KindRegister, func(c *model.Call) { c.Op, c.Expected = model.Write, 1 }, "call 7: expected 1: write of a register expects no value"},
		{model.KindCounter, func(c *model.Call) { c.Op = model.Cas }, `call 7: operation "cas": a counter has read, add, crash`},
		{model.KindMutex, func(c *model.Call) { c.Segment = 1 }, "call 7: segment 1: a mutex has none"},
		{model.KindStock, func(c *model.Call) { c.Op, c.Segment = model.Take, 2 }, "call 7: segment 2: there are 2, from 0"},
		{model.KindMutex, func(c *model.Call) { c.Op, c.Of = model.Release, 7 }, "call 7: of 7: want the id of an acquire"},
		{model.KindMutex, func(c *model.Call) { c.Of = 6 }, "call 7: of 6: acquire names no hold"},
		{model.KindMutex, func(c *model.Call) { c.Op, c.Try = model.Release, true }, "call 7: try: release never waits"},
		{model.KindBarrier, func(c *model.Call) { c.Op, c.Try = model.Await, true }, "call 7: try: a barrier has none"},
		{model.KindMutex, func(c *model.Call) { c.Queued = 4 }, "call 7: queued: acquire of a mutex has no queue"},
		{model.KindFair, func(c *model.Call) { c.QueuedFrom, c.Queued = 5, 4 }, "call 7: queued by event 4, but not before event 5"},
		{model.KindFair, func(c *model.Call) { c.QueuedFrom = 2 }, "call 7: queued from event 2, called at event 3: want no queueing before the call"},
		{model.KindFair, func(c *model.Call) { c.Queued = 10 }, "call 7: queued by event 10, returned at event 9: want queueing before the return"},
		{model.KindMutex, func(c *model.Call) { c.Until = 9 }, "call 7: until event 9: acquire of a mutex has no lease"},
		{model.KindLeased, func(c *model.Call) { c.Until = -9 }, "call 7: until event -9: events are numbered from 1, and 0 is no end"},
		{model.KindMutex, func(c *model.Call) { c.Fenced, c.Token = true, 4 }, "call 7: token 4: acquire of a mutex has none"},
		{model.KindFenced, func(c *model.Call) { c.Token = 4 }, "call 7: token 4, but it is not fenced"},
		{model.KindMutex, func(c *model.Call) { c.Refused = true }, "call 7: refused: want a failed access of a resource, not ok acquire of a mutex"},
		{model.KindMutex, func(c *model.Call) { c.Permit = "p" }, `call 7: permit "p": permits of a mutex have no ids`},
		{model.KindPermitSemaphore, func(*model.Call) {}, "call 7: acquired without a permit id"},
		{model.KindPermitSemaphore, func(c *model.Call) { c.Op = model.Release }, "call 7: release: want the permit, or the id of the acquire (of)"},
		{model.KindMutex, func(c *model.Call) { c.Valued, c.Value = true, 4 }, "call 7: value 4: acquire of a mutex has none"},
		{model.KindRegister, func(c *model.Call) { c.Op, c.Value = model.Read, 4 }, "call 7: value 4, but it is not valued"},
	} {
		c := model.Call{ID: 7, Client: "c1", Object: "o", Op: model.Acquire, Call: 3, Return: 9, Outcome: model.OK}
		test.wrong(&c)
		got := ""
		if err := (model.Spec{Kind: test.kind, Stock: []int64{2, 2}}).Check(&c); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s %+v:\n got %s\nwant %s", test.kind, c, got, test.want)
		}
	}
}

// TestSpecCheckAll: the first call that is wrong is named, be it that its id is
// not its own.
func TestSpecCheckAll(t *testing.T) {
	s := model.Spec{Kind: model.KindMutex}
	calls := []model.Call{
		{ID: 1, Client: "a", Object: "lock", Op: model.Acquire, Call: 1, Return: 2, Outcome: model.OK},
		{ID: 2, Client: "a", Object: "lock", Op: model.Release, Call: 3, Return: 4, Outcome: model.OK},
		{ID: 3, Client: "b", Object: "lock", Op: model.Acquire, Call: 5, Return: 6, Outcome: model.OK},
	}
	if err := s.CheckAll(calls); err != nil {
		t.Error(err)
	}
	calls[2].ID = 1
	if err := s.CheckAll(calls); err == nil || err.Error() != "call 1: duplicate id" {
		t.Errorf("got %v", err)
	}
	calls[1].Call = 0
	if err := s.CheckAll(calls); err == nil || err.Error() != "call 2: called at event 0: events are numbered from 1" {
		t.Errorf("got %v", err)
	}
}
