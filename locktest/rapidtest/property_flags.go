package rapidtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/locktest/internal/rapidtape"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// This file does what the flags ask of a property that name a trace: -simrun.replay, with
// -simrun.diff or without, -simrun.confirm, and -simrun.shrink.

// confirmed is what came of -simrun.confirm. Its client processes are this test binary again, up to the same property.
func (p *property) confirmed(test, path string) flagResult {
	const name = "-simrun.confirm"
	old, other := traceFor(test, name, path)
	if old == nil {
		return other
	}
	effort, err := testbinary.Effort()
	if err != nil {
		return flagResult{fails: err.Error()}
	}
	c, err := p.recorded(old, test)
	if err != nil {
		return failure(name, path, err)
	}
	if c.IsProgram() {
		return failure(name, path, confirm.ErrProgram)
	}
	w, err := testbinary.Reexecuted(*testOf(test))
	if err != nil {
		return failure(name, path, err)
	}
	job := confirm.Confirmation{Cell: c, Trace: old, Client: testbinary.Client(w)}
	job.Store, _ = confirm.On(c.Lock.Store)
	o, err := job.Run(context.Background(), effort)
	if err == nil {
		err = testbinary.KeepConfirmed(job, path, o)
	}
	if err != nil {
		return failure(name, path, err)
	}
	var b strings.Builder
	o.Print(&b, old, test)
	came := flagResult{log: strings.TrimRight(b.String(), "\n")}
	if o.Result == confirm.Confirmed && (p.strict || !old.Limit) {
		came.fails = old.Property + " is violated on real servers"
	}
	return came
}

// serves reports whether this process is a client process of another call; it does not return from one of this.
func (p *property) serves(test string) (another bool) {
	return testbinary.Serve(nil, *testOf(test), func(raw json.RawMessage) (cell.Cell, error) {
		return p.known(p.named(test).Lock).Decode(raw)
	})
}

// flagResult is what came of such a flag: what it logs, and why it fails.
type flagResult struct{ log, fails string }

// failure is the result for an error about the file that a flag names.
func failure(name, path string, err error) flagResult {
	return flagResult{fails: fmt.Sprintf("%s=%s: %v", name, path, err)}
}

// flagged reports whether a flag says what to do in place of checking, and does it once. The
// check fails as what it did does. Rapid keeps no file of that, and prints nothing of a test
// that passes.
func (p *property) flagged(t *rapid.T) bool {
	if testbinary.IsClient() && p.serves(t.Name()) {
		return true
	}
	replay, diff, shrink, confirm := testbinary.Replay(), testbinary.Diff(), testbinary.Shrink(), testbinary.Confirm()
	if replay == "" && diff == "" && shrink == "" && confirm == "" {
		return false
	}
	p.once.Do(func() {
		_ = flag.Set("rapid.nofailfile", "true") // there are no draws that it could keep
		switch {
		case replay != "":
			p.came = p.replayFlag(t.Name(), replay, diff)
		case confirm != "":
			p.came = p.confirmed(t.Name(), confirm)
		case diff != "":
			p.came = failure("-simrun.diff", diff, errors.New("name the counterexample by -simrun.replay"))
		default:
			p.came = p.shrinkFlag(t.Name(), shrink)
		}
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

// traceFor reads the trace that a flag names. It is nil, with a result, if the trace is of
// another test or has no violation.
func traceFor(test, name, path string) (*traces.Trace, flagResult) {
	old, err := traces.ReadFile(testbinary.Absolute(path))
	switch {
	case err != nil:
		return nil, flagResult{fails: name + ": " + err.Error()}
	case old.Test != nil && old.Test.Name != test:
		if testbinary.Elsewhere(*old.Test) {
			return nil, failure(name, path, fmt.Errorf("the trace is of %s in %s, which this command does not run", old.Test.Name, old.Test.Package))
		}
		return nil, flagResult{log: fmt.Sprintf("%s=%s belongs to %s; nothing was run here", name, path, old.Test.Name)}
	case old.Trouble != nil || old.Property == "":
		return nil, failure(name, path, errors.New("the trace has no violation that a property could show"))
	}
	return old, flagResult{}
}

// recorded is the cell of a recorded trace with the lock of the property.
func (p *property) recorded(old *traces.Trace, test string) (cell.Cell, error) {
	if err := old.MayRun(); err != nil {
		return cell.Cell{}, err
	}
	l := p.named(test).Lock
	return p.known(l).Restore(old.Scenario, l.ID, old.Parameters)
}

// replayFlag runs a trace again, and fails as it does. With the path of a page it is compared
// with its nearest passing run.
func (p *property) replayFlag(test, path, page string) flagResult {
	old, other := traceFor(test, "-simrun.replay", path)
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
		if page != "" {
			came.fails = "-simrun.diff: " + path + " has no nearest passing run: it no longer fails"
		}
		return came
	case fault || p.strict:
		came.fails = old.Property + " is violated" // or else it is a limit
	}
	if page != "" {
		text, err := p.compared(c, now, path, testbinary.Absolute(page))
		if err != nil {
			came.fails = "-simrun.diff: " + err.Error()
		}
		came.log += text
	}
	return came
}

// compared compares a counterexample with its nearest passing run: in words, and in a page.
func (p *property) compared(c cell.Cell, now *traces.Trace, path, page string) (string, error) {
	if page == testbinary.Absolute(path) {
		return "", fmt.Errorf("%s is the trace: name another file for the page", path)
	}
	r := p.reducerHere(c.Lock)
	passing, err := hunt.NearestPassing(context.Background(), c, r.Worker, now, nil)
	if err != nil {
		return "", fmt.Errorf("%s has no nearest passing run: %w", path, err)
	}
	var b bytes.Buffer
	b.WriteString("\n\ncompared with its nearest passing run:\n\n")
	d := passing.Compare(path, now)
	_ = d.Text(&b, render.Style{}) // a buffer takes everything
	err = traces.Replace(page, func(w io.Writer) error { return d.Page(w, gotest.Diff(now, path)) })
	if err != nil {
		return b.String(), fmt.Errorf("the page cannot be written: %w", err)
	}
	fmt.Fprintf(&b, "\npage        %s", page)
	return b.String(), nil
}

// shrinkFlag shrinks a trace, and writes the smaller one beside it.
func (p *property) shrinkFlag(test, path string) flagResult {
	const name = "-simrun.shrink"
	old, other := traceFor(test, name, path)
	if old == nil {
		return other
	}
	out := traces.ShrunkPath(path)
	if err := traces.MayReplace(testbinary.Absolute(out), old); err != nil {
		return failure(name, path, err)
	}
	c, err := p.recorded(old, test)
	if err != nil {
		return failure(name, path, err)
	}
	r := p.reducerHere(c.Lock)
	small, err := r.Again(context.Background(), c, old)
	if err != nil {
		return failure(name, path, err)
	}
	small.Test = testOf(test)
	if err := traces.WriteFile(testbinary.Absolute(out), small); err != nil {
		return failure(name, path, err)
	}
	return flagResult{log: storyText(small, "", out)}
}
