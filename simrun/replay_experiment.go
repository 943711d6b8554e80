package simrun

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// replayExperiment runs the recorded run of an experiment again, and reports whether the result is the same.
func (c *replayCmd) replayExperiment(ctx context.Context, a *app, old *traces.Trace) error {
	if err := c.Check(); err != nil {
		return err
	}
	var run *command.Recorded
	err := errors.New("it is a run of an experiment, which the program github.com/lockpick-dev/lockpick/lab/cmd/simrun knows")
	for _, added := range a.commands {
		if added.Recorded != nil {
			run, err = added.Recorded(old, a.locks)
		}
	}
	if err != nil {
		return usageError{fmt.Errorf("%s cannot be replayed here: %w", c.Trace, err)}
	}
	worker := a.worker
	worker.Procs = c.Procs
	r, err := worker.Replay(ctx, run.Job, old.Tape)
	switch {
	case err != nil:
		return err
	case r.Trouble != nil:
		return r.Trouble
	}
	now, err := run.Trace(r.Outcome())
	if err != nil {
		return err
	}
	if err := c.Keep(now); err != nil {
		return err
	}
	p := painter(a.out)
	differs := recorded.Difference(old, now)
	if c.JSON {
		j := c.Compared(old, now, r, differs, a.versions())
		j.Kept = j.Result == "identical" // an experiment has nothing else to keep
		if err := j.Print(a.out, now); err != nil || j.Kept {
			return err
		}
		return exitCode(exitTrouble)
	}
	switch d := r.Divergence; {
	case d != nil:
		fmt.Fprintf(a.out, "%s at decision %d of %d\n", p.Red("DIVERGED"), d.Decision, len(old.Tape))
	case differs != "":
		fmt.Fprintf(a.out, "%s all decisions match, but %s\n", p.Red("DIFFERENT"), differs)
	default:
		fmt.Fprintf(a.out, "%s %s events, hash %s, as recorded\n", p.Bold("replayed"), wording.Grouped(len(now.Events)), now.Hash)
		return nil
	}
	if !old.Made.Equal(now.Made) {
		fmt.Fprintf(a.out, "%s recorded with %s, replayed with %s\n", p.Yellow("note"), old.Made, now.Made)
	}
	return exitCode(exitTrouble)
}
