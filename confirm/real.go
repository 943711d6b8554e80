package confirm

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// platform is the system on which client processes and servers run.
const platform = runtime.GOOS + "/" + runtime.GOARCH

// clients are the client libraries of the lock's store, with their versions.
func (c Confirmation) clients() string {
	var list []string
	for name, version := range c.Cell.Lock.Store.Versions() { // unordered: sorted below
		list = append(list, name+" "+version)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// kept is what came of tries as a trace keeps it.
func (c Confirmation) kept(o *Outcome) traces.Confirmation {
	return traces.Confirmation{
		Server: o.Server, Client: c.clients(), Platform: platform,
		Of: o.Of, Confirmed: o.Confirmed, Mean: (o.took / time.Duration(o.Of)).Round(time.Millisecond), When: now(),
	}
}

// Write adds what came of tries to the trace's file, in place of an older result for the same server and client
// libraries. It refuses a file that has another run by now. Without tries there is nothing to add.
func (c Confirmation) Write(path string, o *Outcome) error {
	if o.Of == 0 {
		return nil
	}
	t, err := traces.ReadFile(path)
	switch {
	case err != nil:
		return fmt.Errorf("the result cannot be added: %w", err)
	case t.Hash != c.Trace.Hash || t.Property != c.Trace.Property:
		return fmt.Errorf("%s has been replaced since it was read: its result is not written", path)
	}
	t.Confirm(c.kept(o))
	if err := traces.WriteFile(path, t); err != nil {
		return fmt.Errorf("the result cannot be written: %w", err)
	}
	return nil
}

// Real is a try as a trace: a run on real servers, without a tape. Number is that of the try, from 1. It has the
// verdict on the trace's property alone, since the run ends with the violation; one that left the order of its
// trace has none.
func (c Confirmation) Real(t *Try, number int) *traces.Trace {
	out := explore.Outcome{Recording: &explore.Recording{Events: t.Events, History: *t.History}}
	property := ""
	if t.Verdict != nil {
		out.Verdicts = []model.Verdict{*t.Verdict}
		if t.Verdict.Status == model.Violated {
			property = t.Verdict.Property
		}
	}
	h := &out.Recording.History
	h.Observations = withPauses(t.History.Observations)
	h.Operations = slices.Clone(t.History.Operations)
	for i := range h.Operations {
		if op := &h.Operations[i]; !op.Return.Happened() {
			op.Result = model.Unknown // the run ended before
		}
	}
	h.Calls = slices.Clone(t.History.Calls)
	for i := range h.Calls {
		if op := h.Operation(h.Calls[i].ID); op != nil {
			h.Calls[i].Outcome = op.Result
		}
	}
	if view := c.Cell.Lock.Reading.Ownership; view != nil {
		h.Keys = t.History.LockKeys(view)
	}
	real := c.Cell.Trace(c.Trace.Seed, -1, property, out)
	real.Test, real.Hash = c.Trace.Test, ""
	real.Real = &traces.Real{Server: t.Server, Client: c.clients(), Platform: platform, When: now(), Try: number, Simulated: c.Trace.Hash}
	if t.Diverged != nil {
		real.Real.Diverged = wording.Fit(wording.Printable(t.Diverged.Error()), 400)
	}
	return real
}

// withPauses has the pauses as long as they were here.
func withPauses(list []model.Observation) []model.Observation {
	list = slices.Clone(list)
	for i := range list {
		o := &list[i]
		end := slices.IndexFunc(list[i:], func(e model.Observation) bool { return e.Kind == model.Resumed && e.Node == o.Node })
		if o.Kind == model.Paused && end >= 0 {
			o.For = list[i+end].At - o.At
		}
	}
	return list
}
