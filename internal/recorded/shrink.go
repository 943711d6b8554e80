package recorded

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Shrink makes a recorded counterexample smaller.
type Shrink struct {
	Trace  string `arg:"" help:"The trace file; simrun run writes it to simrun-out."`
	Out    string `short:"o" help:"The trace file to write (default: x.shrunk.json for x.json, x.shrunk2.json for that, and so on)." placeholder:"FILE"`
	Budget int    `default:"3000" help:"The most runs for shrinking (default ${default})." placeholder:"N"`
	Jobs   int    `default:"${cpus}" help:"How many worker processes to use, 1 to 256 (default: one for each core, ${cpus} here)." placeholder:"J"`
}

// Validate checks the flags.
func (c *Shrink) Validate() error {
	if c.Budget < 1 || c.Budget > 1_000_000_000 {
		return fmt.Errorf("--budget=%d: want at least 1, and no more than 1000000000", c.Budget)
	}
	return Jobs(c.Jobs)
}

// Jobs checks a number of worker processes.
func Jobs(n int) error {
	if n < 1 || n > 256 {
		return fmt.Errorf("--jobs=%d: want 1 to 256", n)
	}
	return nil
}

// Run shrinks the trace, determines its needs, and writes it. The exit code is 0: the violation is known.
func (c *Shrink) Run(ctx context.Context, h *Host) error {
	old, err := Read(c.Trace)
	if err != nil {
		return err
	}
	if old.Experiment != nil {
		return command.Usagef("%s is a run of an experiment: it has no violation to shrink", c.Trace)
	}
	named := c.Out != ""
	if !named {
		c.Out = traces.ShrunkPath(c.Trace)
	}
	if SameFile(c.Out, c.Trace) {
		return command.Usagef("%s is the trace itself: name another file with -o", c.Out)
	}
	cell, err := h.cell(old, c.Trace, "shrunk")
	if err != nil {
		return err
	}
	if old.Property == "" {
		return command.Usagef("%s has no violation to shrink", c.Trace)
	}
	if !named {
		if err := traces.MayReplace(c.Out, old); err != nil {
			return command.Usagef("%w: name another file with -o", err)
		}
	}
	r := NewReducer(h.Worker, h.Known, c.Jobs, h.Show)
	r.Properties, r.Effort.Faults, r.Effort.Limits = h.Properties, c.Budget, c.Budget
	t, err := shrunk(ctx, &r, cell, old)
	h.Clear()
	if err != nil {
		return err
	}
	_, err = os.Stat(c.Out)
	again := err == nil
	if err := traces.WriteFile(c.Out, t); err != nil {
		return command.Usagef("the shrunk trace cannot be written: %w", err)
	}
	return c.print(h, t, again)
}

// shrunk returns the smaller trace.
func shrunk(ctx context.Context, r *hunt.Reducer, cell cell.Cell, old *traces.Trace) (*traces.Trace, error) {
	t, err := r.Again(ctx, cell, old)
	var trouble *explore.Trouble
	if errors.As(err, &trouble) && trouble.Kind == explore.Inconclusive {
		// A tape that does not replay is nondeterministic, not inconclusive.
		return nil, &explore.Trouble{Kind: explore.Nondeterministic, Reason: trouble.Reason, Stack: trouble.Stack}
	}
	return t, err
}

// print explains the shrunk trace and prints where it is, and whether it has replaced another.
func (c *Shrink) print(h *Host, t *traces.Trace, again bool) error {
	if err := render.Explain(h.Out, t, h.Style(false)); err != nil {
		return err
	}
	instead := ""
	if again {
		instead = " (replaced)"
	}
	_, err := fmt.Fprintf(h.Out, "trace       %[1]s%[4]s\nreplay      %[2]s replay %[3]s\nlook        %[2]s view %[3]s\n", c.Out, h.Program, wording.ShellPath(c.Out), instead)
	return err
}
