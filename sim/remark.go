package sim

import (
	"runtime"

	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// A Remark is what is known of a recorded run beside its events. It is no part of the run: the hash does not cover it, and
// nothing rests on it.
type Remark struct {
	// Seq is the event that it is about.
	Seq int64 `json:"seq"`
	// Code is the line of the user's code that has sent the request or made the call, such as "mylock/lock.go:41": the path of the
	// file in its module, or, of a library, as it is imported.
	Code string `json:"code,omitempty"`
}

// stackHere is the stack of the calling goroutine, nil in a run that is not recorded.
func (w *World) stackHere() []uintptr {
	if !w.config.Record {
		return nil
	}
	defer goruntime.Undrawn()()
	stack := make([]uintptr, 128)
	return stack[:runtime.Callers(2, stack)]
}

// Begun notes the event with which a task began, so that it is known which line of the user's code has called it: if the workload has
// for him, the line of the first request. Only the conductor may call it.
func (w *World) Begun(t *Task, e Event) {
	t.began = e.Seq
	w.locate(t)
}

// locate remarks on the event with which a task began, once that and the line are known.
func (w *World) locate(t *Task) {
	if t.began > 0 {
		w.madeBy(Event{Seq: t.began}, t.code)
	}
}

// madeBy remarks on an event which line of the user's code has made it, if that is known.
func (w *World) madeBy(e Event, code string) {
	if code != "" && w.config.Record && !w.draining() {
		w.remarks = append(w.remarks, Remark{Seq: e.Seq, Code: code})
	}
}
