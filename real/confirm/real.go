package confirm

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// platform is the system on which client processes and servers run.
const platform = runtime.GOOS + "/" + runtime.GOARCH

// clients returns the client libraries of the lock's store, with their versions.
func (c Confirmation) clients() string {
	var list []string
	for name, version := range c.Subject.Facts().Versions { // unordered: sorted below
		list = append(list, name+" "+version)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// kept returns an outcome in the form that traces have.
func (c Confirmation) kept(o *Outcome) traces.Confirmation {
	return traces.Confirmation{
		Server: o.Server, Client: c.clients(), Platform: platform,
		Of: o.Of, Confirmed: o.Confirmed, Mean: (o.took / time.Duration(o.Of)).Round(time.Millisecond), When: now(),
	}
}

// Write adds an outcome to the trace's file, in place of an older result for the same server and client libraries. It
// refuses a file that has another run by now. Without tries there is nothing to add.
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

// Real returns a try as a trace: a run on real servers, without a tape. Number is that of the try, from 1. It has the
// verdict on the trace's property alone, since the run ends with the violation; a try that left the order of its trace has
// none.
func (c Confirmation) Real(t *Try, number int) *traces.Trace {
	real := *t.trace
	real.Test = c.Trace.Test
	real.Real = &traces.Real{Server: t.Server, Client: c.clients(), Platform: platform, When: now(), Try: number, Simulated: c.Trace.Hash}
	if t.Diverged != nil {
		real.Real.Diverged = wording.Fit(wording.Printable(t.Diverged.Error()), 400)
	}
	return &real
}
