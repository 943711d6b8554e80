package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// shrinkCmd makes a recorded counterexample smaller.
type shrinkCmd struct {
	Trace  string `arg:"" help:"The trace file; simrun run writes them to simrun-out."`
	Out    string `short:"o" help:"The trace file to write (default: the trace's name with .shrunk.json)." placeholder:"FILE"`
	Budget int    `default:"3000" help:"How many runs it may take to shrink (default ${default})." placeholder:"N"`
	Jobs   int    `default:"${cpus}" help:"How many worker processes look for what would have helped, 1 to 256 (default: one for each core, ${cpus} here)." placeholder:"J"`
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
	if c.Out == "" {
		c.Out = strings.TrimSuffix(c.Trace, filepath.Ext(c.Trace)) + ".shrunk.json"
	}
	if sameFile(c.Out, c.Trace) {
		return usageError{fmt.Errorf("%s is the trace itself: name another file with -o", c.Out)}
	}
	cell, err := scenarios.CellOf(old, a.locks)
	if err != nil {
		return usageError{fmt.Errorf("%s cannot be shrunk here: %w", c.Trace, err)}
	}
	if old.Property == "" {
		return usageError{fmt.Errorf("%s was kept for no violation: there is nothing to shrink it for", c.Trace)}
	}
	l := newLive(a.err)
	r := reducer{app: a, show: l.show, jobs: c.Jobs}
	t, err := c.shrink(ctx, &r, cell, old)
	l.clear()
	if err != nil {
		return err
	}
	if err := traces.WriteFile(c.Out, t); err != nil {
		return usageError{fmt.Errorf("the shrunk trace cannot be written: %w", err)}
	}
	return c.tell(a, t)
}

// shrink is the smaller trace.
func (c *shrinkCmd) shrink(ctx context.Context, r *reducer, cell scenarios.Cell, old *traces.Trace) (*traces.Trace, error) {
	small, err := r.shrink(ctx, explore.Shrink{Cell: cell.Encode(), Property: old.Property, Budget: c.Budget}, old.Tape)
	var trouble *explore.Trouble
	switch {
	case errors.As(err, &trouble) && trouble.Kind == explore.Inconclusive:
		// That it does not replay is no mere lack of knowledge.
		return nil, &explore.Trouble{Kind: explore.Nondeterministic, Reason: trouble.Reason, Stack: trouble.Stack}
	case err != nil:
		return nil, err
	}
	t, err := r.trace(cell, old, small)
	if err != nil {
		return nil, err
	}
	if s := old.Shrunk; s != nil { // what it was shrunk from at first
		t.Shrunk.Parameters, t.Shrunk.From = slices.Clone(s.Parameters), s.From
		t.Shrunk.Runs += s.Runs
	}
	return t, r.attribute(ctx, t, small)
}

// tell says what came of it.
func (c *shrinkCmd) tell(a *app, t *traces.Trace) error {
	if err := traces.Explain(a.out, t, traces.Style{Color: painter(a.out).on}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.out, "%s\ntrace   %s\nreplay  %[3]s replay %[4]s\nlook    %[3]s view %[4]s\n",
		shrinkText(t), c.Out, a.name, shellWord(c.Out))
	return err
}

// shrinkText says what was shrunk to what.
func shrinkText(t *traces.Trace) string {
	s := t.Shrunk
	var with []string
	for _, p := range t.Parameters {
		if !slices.Contains(s.Parameters, p) {
			with = append(with, p.Name+"="+p.Value)
		}
	}
	text := fmt.Sprintf("shrunk  from %s to %s, in %s", plural(s.From, "deviation"), count(s.To), plural(s.Runs, "run"))
	if len(with) > 0 {
		text += ", with " + strings.Join(with, " ")
	}
	if s.Exhausted {
		text += "; there was more to try than the budget allowed"
	}
	return text
}
