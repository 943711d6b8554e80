package locktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// replayFlag runs and reports the trace that -simrun.replay names. It returns nil if the
// trace is of another test.
func (x *session) replayFlag(ctx context.Context, t *testing.T) (got *replayed) {
	t.Helper()
	path := testbinary.Replay()
	old := x.named(t, path)
	if old == nil {
		return nil
	}
	var err error
	t.Run(old.Scenario, func(t *testing.T) {
		t.Helper()
		if got, err = x.rerun(ctx, old); err != nil {
			t.Fatalf("-simrun.replay=%s: %s", path, x.why(err))
		}
		if got.trouble == nil {
			x.runHere(ctx, t, old, got.run)
		}
		x.reportReplay(t, old, got, path)
		if got.trouble != nil && testbinary.Debugged() {
			t.Log("lockpick: now the run in this process, for the debugger; it may go on for ever, or end the process")
			x.runHere(ctx, t, old, nil)
		}
	})
	return got
}

// runHere makes the run of a replay again in this process, where a debugger can stop in the lock. The reported run, nil if
// it did not finish, is that of a worker process, as in searches, and survives whatever the lock does. If this one
// differs, the test logs that.
func (x *session) runHere(ctx context.Context, t *testing.T, old *traces.Trace, reported *explore.Result) {
	t.Helper()
	c, err := x.recorded(old)
	if err != nil {
		t.Fatalf("-simrun.replay: %v", err)
	}
	here := &explore.Here{Debugged: true, Watched: !testbinary.Debugged(), Resolve: func(json.RawMessage) (explore.Runner, error) { return c.Run, nil }}
	var got explore.Result
	request := explore.Request{Cell: c.Encode(), Replay: true, Record: true, Tape: old.Tape}
	err = explore.Worker{Here: here}.Do(context.WithoutCancel(ctx), request, func(r explore.Result) bool { // a debugger stops it for long
		got = r
		return false
	})
	differs := ""
	switch {
	case err != nil:
		differs = err.Error()
	case reported == nil:
	case got.Trouble != nil && !got.Trouble.Leaked:
		differs = got.Trouble.Reason
	case got.Hash != reported.Hash:
		differs = explore.DifferAt(reported.Recording, got.Recording)
	}
	if differs != "" {
		t.Logf("lockpick: the run in this process, in which a debugger can stop, is not the one that is reported: %s. "+
			"The order of large maps differs between processes, and so may variables that earlier code has set: sort the keys, and replay this test alone (-run)", differs)
	}
}

// named reads the trace that -simrun.replay names. It returns nil if the trace is of another test, whose own command
// replays it.
func (x *session) named(t *testing.T, path string) *traces.Trace {
	t.Helper()
	old, err := traces.ReadFile(testbinary.Absolute(path))
	if err != nil {
		t.Fatalf("-simrun.replay: %v", err)
	}
	if old.Test == nil || old.Test.Name == x.call.Name && old.Test.Call == x.call.Call {
		return old
	}
	if testbinary.Elsewhere(*old.Test) {
		t.Fatalf("-simrun.replay=%s: the trace is of %s in %s, which this command does not run; replay it by\n    %s", path, old.Test.Name, old.Test.Package, gotest.Replay(old, path))
	}
	t.Logf("-simrun.replay=%s belongs to call %d in %s; nothing was run here", path, old.Test.Call, old.Test.Name)
	return nil
}

// reportReplay reports the result of a replay.
func (x *session) reportReplay(t *testing.T, old *traces.Trace, got *replayed, path string) {
	t.Helper()
	x.exhibit(t, got.trace)
	how := "replayed from " + path
	if got.note != "" {
		how += "; " + got.note
	}
	others := x.faults(got.trace)
	switch {
	case got.trouble != nil:
		t.Error(x.troubleText(old.Scenario, got.trouble, how, path))
	case !got.fails && len(others) > 0:
		t.Errorf("%s: what was recorded (%s) no longer fails, but the run violates\n    %s", how, got.gone(old), strings.Join(others, "\n    "))
	case !got.fails:
		t.Logf("%s: it no longer fails (%s)", how, got.gone(old))
	case x.fails(old.Scenario, got.trace.Violation()):
		t.Error(x.findingText(got.trace, how, path))
	case len(others) > 0:
		t.Errorf("%s\nThe run also violates\n    %s", x.findingText(got.trace, how, path), strings.Join(others, "\n    "))
	default:
		t.Log(x.findingText(got.trace, how, path))
	}
	if !t.Failed() && !testing.Verbose() {
		fmt.Fprintf(os.Stdout, "-simrun.replay=%s: no failure; -v explains the run\n", path)
	}
}

// faults returns the violations of a run for which Check fails.
func (x *session) faults(t *traces.Trace) (list []string) {
	for i := range t.Verdicts {
		if v := &t.Verdicts[i]; v.Status == model.Violated && x.fails(t.Scenario, v.Violation()) {
			list = append(list, v.Property+": "+v.Sentence)
		}
	}
	return list
}

// replayed is the result of running a recorded case again.
type replayed struct {
	// trace is that of this run, with the origin of the recorded one.
	trace *traces.Trace
	// fails is set if the run shows the violation of the case, or a fault instead of its limit.
	fails bool
	// trouble is set if the run did not finish.
	trouble *explore.Trouble
	// run is the run, nil if it did not finish.
	run *explore.Result
	// note describes how the run differs from the record, if it does.
	note string
}

// gone names the recorded violation that did not occur.
func (a *replayed) gone(old *traces.Trace) string {
	if text := a.trace.Reclassified(old); text != "" {
		return testbinary.CaseName(old) + ": " + text
	}
	return testbinary.CaseName(old)
}

// rerun runs a recorded case again.
func (x *session) rerun(ctx context.Context, old *traces.Trace) (*replayed, error) {
	c, err := x.recorded(old)
	if err != nil {
		return nil, err
	}
	if old.Trouble != nil && old.Trouble.Kind == string(explore.Nondeterministic) {
		return x.differs(ctx, c, old)
	}
	r, trouble, err := x.replay(ctx, c, old)
	switch {
	case err != nil:
		return nil, err
	case trouble != nil:
		return &replayed{trace: troubled(old, trouble), trouble: trouble, fails: old.Trouble != nil && old.Trouble.Kind == string(trouble.Kind)}, nil
	}
	out := r.Outcome()
	now := c.Trace(old.Seed, old.Schedule, old.Property, out)
	now.Strategy, now.Shrunk, now.Test = old.Strategy, old.Shrunk, &x.call
	got := &replayed{trace: now, run: r, fails: old.Violation().Shown(r.Violated)}
	switch {
	case r.Divergence != nil:
		got.note = fmt.Sprintf("the run differs from the recorded one from decision %d on", r.Divergence.Decision)
		if r.Divergence.Overlay {
			got.note += "; that chose the order of goroutines: call go test with " + explore.Overlay
		}
	case now.Hash == old.Hash:
		now.Attribution = old.Attribution // a replay does not determine it
		now.StillConfirmed(old)
	case old.Trouble == nil:
		got.note = "the tape fits, but the run differs from the recorded one"
	}
	if text := now.Reclassified(old); text != "" {
		got.note = strings.TrimPrefix(got.note+"; "+text, "; ")
	}
	return got, nil
}

// replay runs the tape of a case in a worker. A run that only left goroutines behind
// counts as trouble only if the case was kept for that.
func (x *session) replay(ctx context.Context, c cell.Cell, old *traces.Trace) (*explore.Result, *explore.Trouble, error) {
	got, err := x.worker.Replay(ctx, c.Encode(), old.Tape)
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

// differs runs the case of a nondeterministic lock until two runs differ, or several were alike.
func (x *session) differs(ctx context.Context, c cell.Cell, old *traces.Trace) (*replayed, error) {
	const attempts = 6
	var first *explore.Result
	for range attempts {
		r, trouble, err := x.replay(ctx, c, &traces.Trace{Tape: old.Tape})
		switch {
		case err != nil:
			return nil, err
		case trouble != nil:
			return &replayed{trace: troubled(old, trouble), trouble: trouble}, nil
		case first == nil:
			first = r
		case first.Hash != r.Hash:
			trouble = &explore.Trouble{
				Kind: explore.Nondeterministic, Schedule: old.Schedule, Tape: old.Tape,
				Reason: "two runs of the same tape differ: " + explore.FirstDifference(first.Recording, r.Recording),
			}
			return &replayed{trace: troubled(old, trouble), trouble: trouble, fails: true}, nil
		}
	}
	return &replayed{trace: c.Trace(old.Seed, old.Schedule, "", first.Outcome())}, nil
}

// troubled returns the trace of a run that did not finish.
func troubled(old *traces.Trace, trouble *explore.Trouble) *traces.Trace {
	t := *old
	t.Trouble = &traces.Trouble{Kind: string(trouble.Kind), Reason: trouble.Reason, Leaked: trouble.Leaked}
	return &t
}
