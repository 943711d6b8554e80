package rapidtest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/locktest/internal/rapidtape"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// This file replays the trace that -simrun.replay names, and carries out simrun's commands about traces of a property.

// serves reports whether this process was started for another test; it does not return if it was started for this one.
func (p *property) serves(test string) (another bool) {
	l := p.named(test).Lock
	host := func() *recorded.Host {
		r := p.reducerHere(l)
		return &recorded.Host{
			Known: r.Known, Worker: r.Worker, Versions: cell.Versions(l.Store),
			Cell: func(old *traces.Trace) (cell.Cell, error) { return p.recorded(old, test) },
		}
	}
	return testbinary.Serve(nil, *testOf(test), host, func(raw json.RawMessage) (cell.Cell, error) { return p.known(l).Decode(raw) })
}

// flagResult is the result of -simrun.replay: the text to log, and the reason for failing.
type flagResult struct{ log, fails string }

// flagged reports whether a flag asks for something other than checking: a replay, once. The check then fails if the
// replay does. Rapid keeps no file of that, and prints nothing of a test that passes.
func (p *property) flagged(t *rapid.T) bool {
	if testbinary.IsServed() && p.serves(t.Name()) {
		return true
	}
	replay := testbinary.Replay()
	if replay == "" {
		return false
	}
	p.once.Do(func() {
		_ = flag.Set("rapid.nofailfile", "true") // there are no draws to keep
		p.came = p.replayFlag(t.Name(), replay)
		if p.came.fails == "" {
			fmt.Fprintln(os.Stdout, p.came.log)
		}
	})
	if p.came.fails != "" {
		t.Log(p.came.log)
		rapidtape.Fail(t, "replay", p.came.fails)
	}
	return true
}

// traceFor reads the trace to replay. It returns nil, and a result, if the trace is of another test or has no violation.
func traceFor(test, path string) (*traces.Trace, flagResult) {
	old, err := traces.ReadFile(testbinary.Absolute(path))
	switch {
	case err != nil:
		return nil, flagResult{fails: "-simrun.replay: " + err.Error()}
	case old.Test != nil && old.Test.Name != test:
		if testbinary.Elsewhere(*old.Test) {
			return nil, flagResult{fails: fmt.Sprintf("-simrun.replay=%s: the trace is of %s in %s, which this command does not run", path, old.Test.Name, old.Test.Package)}
		}
		return nil, flagResult{log: fmt.Sprintf("-simrun.replay=%s belongs to %s; nothing was run here", path, old.Test.Name)}
	case old.Trouble != nil || old.Property == "":
		return nil, flagResult{fails: fmt.Sprintf("-simrun.replay=%s: the trace has no violation that a property could show", path)}
	}
	return old, flagResult{}
}

// recorded returns the cell of a recorded trace with the lock of the property.
func (p *property) recorded(old *traces.Trace, test string) (cell.Cell, error) {
	if err := old.MayRun(); err != nil {
		return cell.Cell{}, err
	}
	l := p.named(test).Lock
	return p.known(l).Restore(old.Scenario, l.ID, old.Parameters)
}

// replayFlag runs a trace again, and fails if the run does.
func (p *property) replayFlag(test, path string) flagResult {
	old, other := traceFor(test, path)
	if old == nil {
		return other
	}
	c, err := p.recorded(old, test)
	if err != nil {
		return flagResult{fails: "-simrun.replay: " + err.Error()}
	}
	tape := explore.NewReplay(old.Tape)
	out := c.Run(explore.Run{Tape: tape, Record: true})
	if f := out.Failure; f != nil {
		return flagResult{log: f.Stack, fails: "the run of " + path + " did not finish: " + f.Reason}
	}
	violated := out.Violated()
	now := c.Trace(old.Seed, old.Schedule, old.Property, out)
	now.Strategy, now.Shrunk, now.Test = old.Strategy, old.Shrunk, testOf(test)
	how := "replayed from " + path
	if d := tape.Diverged(); d != nil {
		how += fmt.Sprintf("; the run differs from the recorded one from decision %d on", d.Decision)
	} else if now.Hash == old.Hash {
		now.Attribution = old.Attribution
		now.StillConfirmed(old)
	}
	if text := now.Reclassified(old); text != "" {
		how += "; " + text
	}
	came := flagResult{log: storyText(now, how, path)}
	switch fault := slices.Contains(violated, model.Violation{Property: old.Property}); {
	case !old.Violation().Shown(violated):
		came.log = how + ": it no longer fails (" + wording.Printable(old.Property) + ")"
	case fault || p.strict:
		came.fails = old.Property + " is violated" // otherwise it is a limit
	}
	return came
}
