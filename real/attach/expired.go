package attach

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
)

// expired returns the verdict of truthful-acquire on the first Acquire whose lease is over by the library's own count when
// it returns, though no fault had struck by then: such a library counts the time for which it waited. The store may have
// the lock for longer, so that package checker finds no fault. It returns nil if there is none.
func expired(h *model.History) *model.Verdict {
	struck := model.Stamp{At: h.End.At + time.Hour}
	for i := range h.Observations {
		switch o := &h.Observations[i]; o.Kind {
		case model.Paused, model.Delayed, model.ReplyLost, model.Crashed, model.Noted:
			if o.At < struck.At {
				struck = o.Stamp
			}
		}
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Kind != model.Acquire || op.Result != model.OK || !op.Leased || op.Until > op.Return.At-drift || op.Return.At > struck.At {
			continue
		}
		v := checker.WithCause(model.Verdict{
			Property: checker.TruthfulAcquire, Status: model.Violated, Operations: []int{op.ID}, From: op.Call, To: op.Return,
			Sentence: fmt.Sprintf("%s acquired the lock by its own account, with a lease that had ended %v before by the library's own count.",
				op.Client, (op.Return.At - op.Until).Round(time.Millisecond)),
		}, model.AcquiredTooLate)
		return &v
	}
	return nil
}
