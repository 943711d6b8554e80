package labcommand

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab/experiments"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// lookable is the number of events that a reader can look at.
const lookable = 2000

// mostEvents is the maximum number of events of a recorded run: the trace of more would be longer than a trace may be.
const mostEvents = 400_000

// oneRun records one run and writes its trace, its picture, or both.
func (c *experimentCmd) oneRun(ctx context.Context, a command.Host, e *experiments.Experiment, values experiments.Values) error {
	if err := command.Writable(c.Draw, c.Trace); err != nil {
		return command.Usage{Err: err}
	}
	if err := command.IsPage("--draw", c.Draw); err != nil {
		return command.Usage{Err: err}
	}
	variants, err := e.Variants(values, a.Locks())
	if err != nil {
		return command.Usage{Err: err}
	}
	if c.Variant == "" {
		return command.Usagef("--draw and --trace show one run: name its variant by --variant; simrun experiment list has them")
	}
	variant, err := experiments.VariantNamed(variants, c.Variant)
	if err != nil {
		return command.Usagef("--variant=%s: %w", c.Variant, err)
	}
	job := experiments.Job{Experiment: e.ID, Values: values, Variant: variant, Until: c.To}
	h := explore.Hand{Worker: a.Worker()}
	defer h.Close()
	plan := variants[variant].Plan
	got, err := c.record(ctx, &h, &job, cmp.Or(plan.Until, plan.Limit))
	if err != nil {
		return err
	}
	t, err := job.Trace(a.Locks(), c.Seed, c.From, got.Outcome())
	if err != nil {
		return err
	}
	replay := c.drawAgain(a, e, values, job.Until)
	if c.Trace != "" {
		if err := traces.WriteFile(c.Trace, t); err != nil {
			return command.Usagef("the trace cannot be written: %w; show a shorter part (--to)", err)
		}
		replay = a.Program() + " replay " + wording.ShellPath(c.Trace)
		fmt.Fprintf(a.Out(), "trace   %s\nreplay  %s\n", c.Trace, replay)
	}
	if c.Draw == "" {
		return nil
	}
	var page bytes.Buffer
	if err := render.View(&page, t, replay); err != nil {
		return err
	}
	if err := traces.Replace(c.Draw, func(w io.Writer) error { _, err := w.Write(page.Bytes()); return err }); err != nil {
		return command.Usagef("the picture cannot be written: %w", err)
	}
	fmt.Fprintf(a.Out(), "wrote %s: %s to %s of the run; open it in a browser\n", c.Draw, c.From, t.EndAt())
	return nil
}

// record records the run of a job. If no flag sets where it is cut, it is cut after enough events to look at. Limit is the
// latest cut.
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
			return nil, command.Usagef("--from=%v: the run ends before, at %v", c.From, time.Duration(got.Simulated))
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
		return nil, command.Usagef("the run has %s until %v, too many to show: show a shorter part (--to)", wording.GroupedCount(len(got.Recording.Events), "event"), job.Until)
	}
	return got, nil
}

// drawAgain returns the command that draws the same picture.
func (c *experimentCmd) drawAgain(a command.Host, e *experiments.Experiment, values experiments.Values, until time.Duration) string {
	words := look(a, e, values, c.Variant, c.Seed)
	if c.From > 0 {
		words += " --from " + c.From.String()
	}
	if until > 0 {
		words += " --to " + until.String()
	}
	return words + " --draw " + wording.Shell(c.Draw)
}
