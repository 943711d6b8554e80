package realclient

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestIdleEnd: a client that waits in vain, while nothing happens any more, is waited for as long as the checker needs, and
// not to the end of the trace.
func TestIdleEnd(t *testing.T) {
	const end = 5 * time.Minute
	tr := &traces.Trace{
		Events: []sim.Event{{Seq: 1, At: 0}, {Seq: 2, At: time.Second}},
		History: model.History{
			LockName: "lock", TTL: 2 * time.Second, End: model.Stamp{Seq: 3, At: end},
			Operations: []model.Operation{{ID: 1, Client: "c1", Kind: model.Acquire, Acquisition: 1, Call: model.Stamp{Seq: 2, At: time.Second}, Result: model.Unknown}},
		},
	}
	o := checker.Options{ProgressBound: 10 * time.Second}
	v := checker.Check(&tr.History, o, checker.Progress)[0]
	if v.Status != model.Violated {
		t.Fatalf("%+v", v)
	}
	got := extentOf(tr, &v, o)
	h := before(&tr.History, model.Stamp{Seq: got.Seq, At: got.At - slack})
	if got.Seq != 2 || got.At >= end || checker.Check(&h, o, checker.Progress)[0].Status != model.Violated {
		t.Errorf("it goes on for %v", got.At)
	}
	h = before(&tr.History, model.Stamp{Seq: got.Seq, At: got.At - slack - 2*idling})
	if checker.Check(&h, o, checker.Progress)[0].Status == model.Violated {
		t.Errorf("it is violated before %v", got.At)
	}
}
