package simrun

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// shrinkCmd makes a recorded counterexample smaller.
type shrinkCmd struct {
	Trace  string `arg:"" help:"The trace file; simrun run writes it to simrun-out."`
	Out    string `short:"o" help:"The trace file to write (default: x.shrunk.json for x.json, x.shrunk2.json for that, and so on)." placeholder:"FILE"`
	Budget int    `default:"3000" help:"The most runs for shrinking (default ${default})." placeholder:"N"`
	Jobs   int    `default:"${cpus}" help:"How many worker processes to use, 1 to 256 (default: one for each core, ${cpus} here)." placeholder:"J"`
}

// Validate checks what kong cannot.
func (c *shrinkCmd) Validate() error {
	if c.Budget < 1 || c.Budget > 1_000_000_000 {
		return fmt.Errorf("--budget=%d: want at least 1, and no more than 1000000000", c.Budget)
	}
	return (&huntFlags{Jobs: c.Jobs}).validate()
}

// Run shrinks the trace, says what it needs and writes it. That it violates
// something is no news: the exit code is 0.
func (c *shrinkCmd) Run(ctx context.Context, a *app) error {
	old, err := readTrace(c.Trace)
	if err != nil {
		return err
	}
	if old.Experiment != nil {
		return usageError{fmt.Errorf("%s is a run of an experiment: it has no violation to shrink", c.Trace)}
	}
	named := c.Out != ""
	if !named {
		c.Out = traces.ShrunkPath(c.Trace)
	}
	if sameFile(c.Out, c.Trace) {
		return usageError{fmt.Errorf("%s is the trace itself: name another file with -o", c.Out)}
	}
	cell, err := a.registry().Of(old)
	if err != nil {
		return usageError{elsewhere(old, c.Trace, "shrunk", gotest.Shrink, err)}
	}
	if old.Property == "" {
		return usageError{fmt.Errorf("%s has no violation to shrink", c.Trace)}
	}
	if !named {
		if err := traces.MayReplace(c.Out, old); err != nil {
			return usageError{fmt.Errorf("%w: name another file with -o", err)}
		}
	}
	l := newLive(a.err)
	r := a.newReducer(c.Jobs, l.show)
	r.Effort.Faults, r.Effort.Limits = c.Budget, c.Budget
	t, err := shrunk(ctx, &r, cell, old)
	l.clear()
	if err != nil {
		return err
	}
	_, err = os.Stat(c.Out)
	again := err == nil
	if err := traces.WriteFile(c.Out, t); err != nil {
		return usageError{fmt.Errorf("the shrunk trace cannot be written: %w", err)}
	}
	return c.tell(a, t, again)
}

// shrunk is the smaller trace.
func shrunk(ctx context.Context, r *hunt.Reducer, cell cell.Cell, old *traces.Trace) (*traces.Trace, error) {
	t, err := r.Again(ctx, cell, old)
	var trouble *explore.Trouble
	if errors.As(err, &trouble) && trouble.Kind == explore.Inconclusive {
		// A tape that does not replay is nondeterministic, not inconclusive.
		return nil, &explore.Trouble{Kind: explore.Nondeterministic, Reason: trouble.Reason, Stack: trouble.Stack}
	}
	return t, err
}

// tell says what came of it, and where that is, in place of what was there
// before or not.
func (c *shrinkCmd) tell(a *app, t *traces.Trace, again bool) error {
	if err := render.Explain(a.out, t, style(a.out)); err != nil {
		return err
	}
	instead := ""
	if again {
		instead = " (replaced)"
	}
	_, err := fmt.Fprintf(a.out, "trace       %[1]s%[4]s\nreplay      %[2]s replay %[3]s\nlook        %[2]s view %[3]s\n", c.Out, a.name, wording.ShellPath(c.Out), instead)
	return err
}
