package adapter_test

import (
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/redislock-v0.9.3"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: SET NX is executed and its reply is lost. go-redis repeats the
// request, and the answer is that the lock is taken: by its own first request. Obtain
// returns ErrNotObtained, and the key stays. v0.9.4 repaired it.
func TestTrackRecord(t *testing.T) {
	report := locktest.Explore(t, adapter.NewLock, locktest.On(redisstore.Store), locktest.Only("lost-reply"), locktest.Properties("no-orphan"))
	for _, f := range report.Findings {
		v := f.Trace.Verdict()
		t.Log(v.Sentence)
		if notObtained(&f.Trace.History, v) {
			return
		}
	}
	if len(report.Results) > 0 {
		t.Errorf("it was not found: %s", report.Results[0].String())
	}
}

// notObtained reports whether one of the operations that decide the verdict is an
// Obtain that returned ErrNotObtained.
func notObtained(h *model.History, v *model.Verdict) bool {
	for _, id := range v.Operations {
		if op := h.Operation(id); op.Kind == model.Acquire && op.Result == model.Failed {
			return true
		}
	}
	return false
}
