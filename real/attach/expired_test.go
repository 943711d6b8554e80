package attach

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestExpired: a lease that is over by the library's own count is a fault of its Acquire, unless a fault had struck before.
func TestExpired(t *testing.T) {
	const ms = time.Millisecond
	history := func(until time.Duration, struck bool) *model.History {
		h := &model.History{End: model.Stamp{At: 2000 * ms, Seq: 9}, Operations: []model.Operation{{
			ID: 1, Client: "c1", Kind: model.Acquire, Result: model.OK, Call: model.Stamp{At: 10 * ms, Seq: 1}, Return: model.Stamp{At: 700 * ms, Seq: 5},
			Leased: true, Until: until,
		}}}
		if struck {
			h.Observations = []model.Observation{{Stamp: model.Stamp{At: 300 * ms, Seq: 3}, Node: "c1", Kind: model.Paused}}
		}
		return h
	}
	v := expired(history(500*ms, false))
	if v == nil || v.Cause != model.AcquiredTooLate || v.Limit || v.Sentence != "c1 acquired the lock by its own account, with a lease that had ended 200ms before by the library's own count." {
		t.Errorf("over for 200 ms: %+v", v)
	}
	for name, h := range map[string]*model.History{"valid": history(1100*ms, false), "just over": history(690*ms, false), "a pause before": history(500*ms, true)} { // unordered: each by itself
		if v := expired(h); v != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
