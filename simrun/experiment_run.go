package simrun

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/internal/experiments"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// lookable is how many events a reader can look at.
const lookable = 2000

// mostEvents is the most events that a recorded run may have: its trace would be longer
// than a trace may be.
const mostEvents = 400_000

// oneRun records one run and writes its trace, its picture, or both.
func (c *experimentCmd) oneRun(ctx context.Context, a *app, e *experiments.Experiment, values experiments.Values) error {
	if err := writable(c.Draw, c.Trace); err != nil {
		return usageError{err}
	}
	if err := isPage("--draw", c.Draw); err != nil {
		return usageError{err}
	}
	variants, err := e.Variants(values, a.locks)
	if err != nil {
		return usageError{err}
	}
	if c.Variant == "" {
		return usageError{fmt.Errorf("--draw and --trace show one run: name its variant by --variant; simrun experiment list has them")}
	}
	variant, err := experiments.VariantNamed(variants, c.Variant)
	if err != nil {
		return usageError{fmt.Errorf("--variant=%s: %w", c.Variant, err)}
	}
	job := experiments.Job{Experiment: e.ID, Values: values, Variant: variant, Until: c.To}
	h := explore.Hand{Worker: a.worker}
	defer h.Close()
	plan := variants[variant].Plan
	got, err := c.record(ctx, &h, &job, cmp.Or(plan.Until, plan.Limit))
	if err != nil {
		return err
	}
	t, err := job.Trace(a.locks, c.Seed, c.From, got.Outcome())
	if err != nil {
		return err
	}
	replay := c.drawAgain(a, e, values, job.Until)
	if c.Trace != "" {
		if err := traces.WriteFile(c.Trace, t); err != nil {
			return usageError{fmt.Errorf("the trace cannot be written: %w; show a shorter part (--to)", err)}
		}
		replay = a.name + " replay " + wording.ShellPath(c.Trace)
		fmt.Fprintf(a.out, "trace   %s\nreplay  %s\n", c.Trace, replay)
	}
	if c.Draw == "" {
		return nil
	}
	var page bytes.Buffer
	if err := render.View(&page, t, replay); err != nil {
		return err
	}
	if err := traces.Replace(c.Draw, func(w io.Writer) error { _, err := w.Write(page.Bytes()); return err }); err != nil {
		return usageError{fmt.Errorf("the picture cannot be written: %w", err)}
	}
	fmt.Fprintf(a.out, "wrote %s: %s to %s of the run; open it in a browser\n", c.Draw, c.From, t.EndAt())
	return nil
}

// record records the run of a job. If nothing says where the run is cut, it is cut where
// there is enough to look at. Limit is where it is cut at the latest.
func (c *experimentCmd) record(ctx context.Context, h *explore.Hand, job *experiments.Job, limit time.Duration) (*explore.Result, error) {
	if job.Until > 0 {
		return c.recordUntil(ctx, h, *job)
	}
	for until := 2*c.From + time.Millisecond; ; until *= 2 {
		job.Until = until
		got, err := c.recordUntil(ctx, h, *job)
		if err != nil {
			return nil, err
		}
		events := got.Recording.Events
		first := sort.Search(len(events), func(i int) bool { return events[i].At >= c.From })
		ended := got.Recording.History.Cut == "" || until >= limit
		switch {
		case len(events)-first > lookable:
			job.Until = events[first+lookable].At
			return c.recordUntil(ctx, h, *job)
		case ended && first == len(events):
			return nil, usageError{fmt.Errorf("--from=%v: the run ends before, at %v", c.From, time.Duration(got.Simulated))}
		case ended:
			job.Until = 0
			return got, nil
		}
	}
}

func (c *experimentCmd) recordUntil(ctx context.Context, h *explore.Hand, job experiments.Job) (*explore.Result, error) {
	q := job.Request(c.Seed)
	q.Record = true
	got, err := experiments.Ask(ctx, h, q)
	switch {
	case err != nil:
		return nil, err
	case got.Recording == nil:
		return nil, errors.New("the worker recorded nothing")
	case len(got.Recording.Events) > mostEvents:
		return nil, usageError{fmt.Errorf("the run has %s until %v, too many to show: show a shorter part (--to)", wording.GroupedCount(len(got.Recording.Events), "event"), job.Until)}
	}
	return got, nil
}

// drawAgain is the command that draws the same picture.
func (c *experimentCmd) drawAgain(a *app, e *experiments.Experiment, values experiments.Values, until time.Duration) string {
	words := look(a, e, values, c.Variant, c.Seed)
	if c.From > 0 {
		words += " --from " + c.From.String()
	}
	if until > 0 {
		words += " --to " + until.String()
	}
	return words + " --draw " + wording.Shell(c.Draw)
}

// replayExperiment runs the recorded run of an experiment again, and says whether it came
// out the same.
func (c *replayCmd) replayExperiment(ctx context.Context, a *app, old *traces.Trace) error {
	job, err := experiments.JobOfTrace(old, a.locks)
	if err != nil {
		return usageError{fmt.Errorf("%s cannot be replayed here: %w", c.Trace, err)}
	}
	worker := a.worker
	worker.Procs = c.Procs
	r, err := worker.Replay(ctx, job.Encode(), old.Tape)
	switch {
	case err != nil:
		return err
	case r.Trouble != nil:
		return r.Trouble
	}
	now, err := job.Trace(a.locks, old.Seed, old.Experiment.From, r.Outcome())
	if err != nil {
		return err
	}
	if c.Out != "" {
		if err := traces.WriteFile(c.Out, now); err != nil {
			return usageError{fmt.Errorf("the replayed trace cannot be written: %w", err)}
		}
	}
	p := painter(a.out)
	differs := difference(old, now)
	if c.JSON {
		j := c.compared(a, old, now, r, differs)
		j.Kept = j.Result == "identical" // it is all that there is to keep
		if err := j.print(a, now); err != nil || j.Kept {
			return err
		}
		return exitCode(exitTrouble)
	}
	switch d := r.Divergence; {
	case d != nil:
		fmt.Fprintf(a.out, "%s at decision %d of %d\n", p.red("DIVERGED"), d.Decision, len(old.Tape))
	case differs != "":
		fmt.Fprintf(a.out, "%s all decisions match, but %s\n", p.red("DIFFERENT"), differs)
	default:
		fmt.Fprintf(a.out, "%s %s events, hash %s, as recorded\n", p.bold("replayed"), wording.Grouped(len(now.Events)), now.Hash)
		return nil
	}
	if !old.Made.Equal(now.Made) {
		fmt.Fprintf(a.out, "%s recorded with %s, replayed with %s\n", p.yellow("note"), old.Made, now.Made)
	}
	return exitCode(exitTrouble)
}
