package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// replayCmd runs a trace again.
type replayCmd struct {
	Trace string `arg:"" help:"The trace file." type:"existingfile"`
	Out   string `short:"o" help:"Write the replayed run as a trace: the same bytes, for the same versions." placeholder:"FILE"`
	Procs int    `default:"1" help:"GOMAXPROCS of the worker; it must not matter." placeholder:"N"`
}

// readTrace reads a trace file; what is wrong with it is the user's to know.
func readTrace(path string) (*traces.Trace, error) {
	t, err := traces.ReadFile(path)
	if err != nil {
		return nil, usageError{err}
	}
	return t, nil
}

// Run replays the trace and says whether it came out the same.
func (c *replayCmd) Run(ctx context.Context, a *app) error {
	old, err := readTrace(c.Trace)
	if err != nil {
		return err
	}
	cell, err := scenarios.CellOf(old, a.locks)
	if err != nil {
		return usageError{fmt.Errorf("%s cannot be replayed here: %w", c.Trace, err)}
	}
	r, err := a.replay(ctx, cell, old.Tape, c.Procs)
	if err != nil {
		return err
	}
	now := cell.Trace(old.Seed, old.Schedule, old.Property, explore.Outcome{Verdicts: r.Verdicts, Hash: r.Hash, Recording: r.Recording})
	if c.Out != "" {
		if err := traces.WriteFile(c.Out, now); err != nil {
			return err
		}
	}
	return c.judge(a, old, now, r)
}

// replay runs the tape in a worker.
func (a *app) replay(ctx context.Context, cell scenarios.Cell, tape []sim.Choice, procs int) (*explore.Result, error) {
	worker := a.worker
	worker.Procs = procs
	var result *explore.Result
	err := worker.Do(ctx, explore.Request{Cell: cell.Encode(), Replay: true, Tape: tape}, func(r explore.Result) bool {
		result = &r
		return true
	})
	switch {
	case err != nil:
		return nil, err
	case result == nil:
		return nil, fmt.Errorf("the worker gave no result")
	case result.Trouble != nil:
		return nil, result.Trouble
	}
	return result, nil
}

// judge compares the replayed run with the recorded one.
func (c *replayCmd) judge(a *app, old, now *traces.Trace, r *explore.Result) error {
	p := painter(a.out)
	sameVersions := old.Made == now.Made
	violated := slices.Contains(r.Violated, old.Property)
	if err := traces.Explain(a.out, now, traces.Style{Color: p.on}); err != nil {
		return err
	}
	if !sameVersions {
		fmt.Fprintf(a.out, "%s recorded with %s, replayed with %s\n", p.yellow("note"), versions(old.Made), versions(now.Made))
	}
	switch {
	case r.Divergence != nil:
		diverged(a.out, p, r.Divergence, old.Property, violated)
		return exitCode(exitTrouble)
	case old.Hash == now.Hash:
		fmt.Fprintf(a.out, "%s %s events, hash %s, as recorded\n", p.bold("replayed"), count(len(now.Events)), now.Hash)
	case sameVersions:
		fmt.Fprintf(a.out, "%s the tape fits, but %s\n", p.red("DIFFERENT"), explore.FirstDifference(recording(old), recording(now)))
		return exitCode(exitTrouble)
	case old.Property != "" && !violated:
		fmt.Fprintf(a.out, "%s with these versions the run no longer violates %s\n", p.red("DIFFERENT"), old.Property)
		return exitCode(exitTrouble)
	default:
		fmt.Fprintf(a.out, "%s the run differs in its bytes, as it may between versions, and %s is violated as recorded\n", p.bold("replayed"), old.Property)
	}
	if len(r.Violated) > 0 {
		return exitCode(exitViolation)
	}
	return nil
}

func recording(t *traces.Trace) *explore.Recording {
	return &explore.Recording{Events: t.Events, Choices: t.Tape, History: t.History}
}

func versions(v traces.Versions) string {
	return fmt.Sprintf("lockpick %s, %s, go-redis %s", v.Lockpick, v.Go, v.GoRedis)
}

// diverged says where the tape stopped fitting.
func diverged(w io.Writer, p paint, d *explore.Divergence, property string, violated bool) {
	recorded, asked := "the recording has no more decisions", "the run had ended"
	if d.Recorded != "" {
		recorded = fmt.Sprintf("the recording has %s with %d options", d.Recorded, d.RecordedOptions)
	}
	if d.Asked != "" {
		asked = fmt.Sprintf("the run asked %s with %d options", d.Asked, d.AskedOptions)
	}
	fmt.Fprintf(w, "%s at decision %d: %s, and %s\n", p.red("DIVERGED"), d.Decision, recorded, asked)
	if property != "" {
		still := "does not violate"
		if violated {
			still = "still violates"
		}
		fmt.Fprintf(w, "  carried on by the identities of the decisions, the run %s %s\n", still, property)
	}
}
