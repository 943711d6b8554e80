package redislock_test

import (
	"context"
	"testing"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTrackRecord: Obtain reports success however late Redis answered, and a
// caller whose lease was over by then believes that it holds the lock. The leases
// are not extended here, which can come too late as well.
func TestTrackRecord(t *testing.T) {
	report := scenarios.Explore(t, newPlainLock, scenarios.Only("late-reply"), scenarios.Properties("mutual-exclusion"))
	for _, f := range report.Findings {
		v := f.Trace.Verdict()
		t.Log(v.Sentence)
		if tooLate(&f.Trace.History, v) {
			return
		}
	}
	if len(report.Results) > 0 {
		t.Errorf("it was not found: %s", report.Results[0].String())
	}
}

// plain is the lock without Extend.
type plain struct{ lock.Locker }

func newPlainLock(c *scenarios.Client) lock.Locker { return plain{newLock(c)} }

func (p plain) Acquire(ctx context.Context) (lock.Lease, error) {
	l, err := p.Locker.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return struct{ lock.Lease }{l}, nil
}

// tooLate reports whether one of the operations that decide the verdict is an
// Obtain that succeeded when its lease was over.
func tooLate(h *model.History, v *model.Verdict) bool {
	for _, id := range v.Operations {
		op := h.Operation(id)
		if op.Kind != model.Acquire || op.Result != model.OK {
			continue
		}
		for i := range h.Observations {
			o := &h.Observations[i]
			if o.Kind == model.KeyCreated && o.Owner.Op == op.ID && op.Return.At > o.At+h.TTL {
				return true
			}
		}
	}
	return false
}
