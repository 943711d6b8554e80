package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/internal/testbinary"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// replayFlag runs and reports the trace that -simrun.replay names. It returns nil if the
// trace is of another test.
func (a *attack) replayFlag(ctx context.Context, t *testing.T) (came *again) {
	t.Helper()
	path := testbinary.Replay()
	old := a.named(t, "-simrun.replay", path, "replay it by", ReplayCommand)
	if old == nil {
		return nil
	}
	var err error
	t.Run(old.Scenario, func(t *testing.T) {
		t.Helper()
		if came, err = a.rerun(ctx, old); err != nil {
			t.Fatalf("-simrun.replay=%s: %s", path, a.why(err))
		}
		a.tellReplay(t, old, came, path)
		if page := testbinary.Diff(); page != "" {
			a.diffFlag(ctx, t, came, path, testbinary.Absolute(page))
		}
	})
	return came
}

// named reads the trace that a flag names. It returns nil if the trace is of another test, whose
// command says how it is done there.
func (a *attack) named(t *testing.T, flag, path, do string, command func(*traces.Trace, string) string) *traces.Trace {
	t.Helper()
	old, err := traces.ReadFile(testbinary.Absolute(path))
	if err != nil {
		t.Fatalf("%s: %v", flag, err)
	}
	if old.Test == nil || old.Test.Name == a.call.Name && old.Test.Call == a.call.Call {
		return old
	}
	if testbinary.Elsewhere(*old.Test) {
		t.Fatalf("%s=%s: the trace is of %s in %s, which this command does not run; %s\n    %s", flag, path, old.Test.Name, old.Test.Package, do, command(old, path))
	}
	t.Logf("%s=%s belongs to call %d in %s; nothing was run here", flag, path, old.Test.Call, old.Test.Name)
	return nil
}

// tellReplay reports the result of a replay.
func (a *attack) tellReplay(t *testing.T, old *traces.Trace, came *again, path string) {
	t.Helper()
	a.exhibit(t, came.trace)
	how := "replayed from " + path
	if came.note != "" {
		how += "; " + came.note
	}
	others := a.faults(came.trace)
	switch {
	case came.trouble != nil:
		t.Error(a.troubleText(old.Scenario, came.trouble, how, path))
	case !came.fails && len(others) > 0:
		t.Errorf("%s: what was recorded (%s) no longer fails, but the run violates\n    %s", how, came.gone(old), strings.Join(others, "\n    "))
	case !came.fails:
		t.Logf("%s: it no longer fails (%s)", how, came.gone(old))
	case a.fails(old.Scenario, came.trace.Violation()):
		t.Error(a.findingText(came.trace, how, path))
	case len(others) > 0:
		t.Errorf("%s\nThe run also violates\n    %s", a.findingText(came.trace, how, path), strings.Join(others, "\n    "))
	default:
		t.Log(a.findingText(came.trace, how, path))
	}
	if !t.Failed() && !testing.Verbose() {
		fmt.Fprintf(os.Stdout, "-simrun.replay=%s: no failure; -v tells what the run shows\n", path)
	}
}

// faults are the violations of a run for which Check fails.
func (a *attack) faults(t *traces.Trace) (list []string) {
	for i := range t.Verdicts {
		if v := &t.Verdicts[i]; v.Status == model.Violated && a.fails(t.Scenario, v.Violation()) {
			list = append(list, v.Property+": "+v.Sentence)
		}
	}
	return list
}

// diffFlag compares a replayed counterexample with its nearest passing run: in words, and in the
// page that -simrun.diff names.
func (a *attack) diffFlag(ctx context.Context, t *testing.T, came *again, path, page string) {
	t.Helper()
	err := MayTakeAway(came.trace)
	if err == nil && !came.fails {
		err = errors.New("it no longer fails")
	}
	var passing *Passing
	if err == nil {
		var c Cell
		if c, err = a.recorded(came.trace); err == nil {
			passing, err = c.NearestPassing(ctx, a.worker, came.trace, nil)
		}
	}
	if err != nil {
		t.Errorf("-simrun.diff: %s has no nearest passing run: %v", path, err)
		return
	}
	d := passing.Compare(path, came.trace)
	var b strings.Builder
	_ = d.Text(&b, render.Style{}) // a Builder takes everything
	err = traces.Replace(page, func(w io.Writer) error { return d.Page(w, DiffCommand(came.trace, path)) })
	if err != nil {
		t.Errorf("-simrun.diff: the page cannot be written: %v", err)
	}
	t.Logf("compared with its nearest passing run:\n\n%s\npage        %s", &b, page)
}

// again is the result of running a recorded case again.
type again struct {
	// trace is that of this run, with the origin of the recorded one.
	trace *traces.Trace
	// fails is set if the run shows the violation of the case, or a fault where the case
	// has a limit.
	fails bool
	// trouble is set if the run did not finish.
	trouble *explore.Trouble
	// note says how the run differs from the record, if it does.
	note string
}

// gone names the recorded violation that did not occur.
func (a *again) gone(old *traces.Trace) string {
	if text := a.trace.Reclassified(old); text != "" {
		return testbinary.CaseName(old) + ": " + text
	}
	return testbinary.CaseName(old)
}

// rerun runs a recorded case again.
func (a *attack) rerun(ctx context.Context, old *traces.Trace) (*again, error) {
	c, err := a.recorded(old)
	if err != nil {
		return nil, err
	}
	if old.Trouble != nil && old.Trouble.Kind == string(explore.Nondeterministic) {
		return a.differs(ctx, c, old)
	}
	r, trouble, err := a.replay(ctx, c, old)
	switch {
	case err != nil:
		return nil, err
	case trouble != nil:
		return &again{trace: troubled(old, trouble), trouble: trouble, fails: old.Trouble != nil && old.Trouble.Kind == string(trouble.Kind)}, nil
	}
	out := r.Outcome()
	now := c.Trace(old.Seed, old.Schedule, old.Property, out)
	now.Strategy, now.Shrunk, now.Test = old.Strategy, old.Shrunk, &a.call
	came := &again{trace: now, fails: old.Violation().Shown(r.Violated)}
	switch {
	case r.Divergence != nil:
		came.note = fmt.Sprintf("the run differs from the recorded one from decision %d on", r.Divergence.Decision)
	case now.Hash == old.Hash:
		now.Attribution = old.Attribution // a replay says nothing of it
	case old.Trouble == nil:
		came.note = "the tape fits, but the run differs from the recorded one"
	}
	if text := now.Reclassified(old); text != "" {
		came.note = strings.TrimPrefix(came.note+"; "+text, "; ")
	}
	return came, nil
}

// recorded is the cell of a recorded case, whose parameters are all there are: a fault that
// is not among them does not strike. The lock is the test's, whatever it was called then.
func (a *attack) recorded(old *traces.Trace) (Cell, error) {
	c, err := RestoreCell(old.Scenario, a.lock.ID, old.Parameters, []Lock{a.lock})
	c.Properties = a.properties
	return c, err
}

// replay runs the tape of a case in a worker. A run that only left goroutines behind
// counts as trouble only if the case was kept for that.
func (a *attack) replay(ctx context.Context, c Cell, old *traces.Trace) (*explore.Result, *explore.Trouble, error) {
	got, err := a.worker.Replay(ctx, c.Encode(), old.Tape)
	var trouble *explore.Trouble
	switch {
	case errors.As(err, &trouble):
		return nil, trouble, nil
	case err != nil:
		return nil, nil, err
	case got.Trouble != nil && (!got.Trouble.Leaked || old.Trouble != nil):
		return nil, got.Trouble, nil
	}
	return got, nil, nil
}

// differs runs the case of a nondeterministic lock until two runs differ, or until several
// were alike.
func (a *attack) differs(ctx context.Context, c Cell, old *traces.Trace) (*again, error) {
	const attempts = 6
	var first *explore.Result
	for range attempts {
		r, trouble, err := a.replay(ctx, c, &traces.Trace{Tape: old.Tape})
		switch {
		case err != nil:
			return nil, err
		case trouble != nil:
			return &again{trace: troubled(old, trouble), trouble: trouble}, nil
		case first == nil:
			first = r
		case first.Hash != r.Hash:
			trouble = &explore.Trouble{
				Kind: explore.Nondeterministic, Schedule: old.Schedule, Tape: old.Tape,
				Reason: "two runs of the same tape differ: " + explore.FirstDifference(first.Recording, r.Recording),
			}
			return &again{trace: troubled(old, trouble), trouble: trouble, fails: true}, nil
		}
	}
	return &again{trace: c.Trace(old.Seed, old.Schedule, "", first.Outcome())}, nil
}

// troubled is the trace of a run that did not finish.
func troubled(old *traces.Trace, trouble *explore.Trouble) *traces.Trace {
	t := *old
	t.Trouble = &traces.Trouble{Kind: string(trouble.Kind), Reason: trouble.Reason}
	return &t
}
