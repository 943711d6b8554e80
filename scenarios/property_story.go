package scenarios

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/internal/rapidtape"
	"github.com/lockpick-dev/lockpick/scenarios/internal/testbinary"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// rapidStrategy is the strategy in traces of runs that rapid has found.
const rapidStrategy = "rapid"

// toldRun is what was told of a failing run.
type toldRun struct {
	test, text string
	hash       uint64
}

// tell shrinks a failing run, keeps its trace, and describes it for the test of that name.
// Rapid asks for the same run twice: for its fail file, and for the test's output.
func (p *property) tell(r *drawn, v model.Violation, test string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.last; s != nil && s.hash == r.outcome.Hash && s.test == test {
		return s.text
	}
	trace, note := p.smaller(r, v, test)
	path := ""
	if !nofailfile() {
		var err error
		if path, err = testbinary.Overwrite(*trace.Test, trace); err != nil {
			path, note = "", joined(note, "the trace cannot be written: "+err.Error())
		}
	}
	p.last = &toldRun{test, storyText(trace, note, path), r.outcome.Hash}
	return p.last.text
}

// smaller is the trace of a failing run, shrunk as far as possible in this process. The note
// says what failed.
func (p *property) smaller(r *drawn, v model.Violation, test string) (t *traces.Trace, note string) {
	c := p.named(test)
	found := explore.Finding{Property: v.Property, Limit: v.Limit, Tape: r.tape, Outcome: p.rerun(r)}
	t = c.Trace(0, 0, v.Property, found.Outcome)
	t.Strategy, t.Test = rapidStrategy, &traces.Test{Name: test, Package: testbinary.PackagePath(), Call: 1}
	locks := []Lock{c.Lock}
	reducer := Reducer{
		Worker: explore.Worker{Here: func(raw json.RawMessage) (explore.Runner, error) {
			cell, err := Decode(raw, locks)
			return cell.Run, err
		}},
		Locks: locks, FaultRuns: faultBudget, LimitRuns: limitBudget,
	}
	if testing.Short() {
		reducer.FaultRuns = limitBudget
	}
	small := reducer.Reduce(context.Background(), c, t, found, DefaultRuns)
	switch {
	case small.NotShrunk != nil:
		note = "not shrunk: " + small.NotShrunk.Error()
	case small.NeedsUnknown != nil:
		note = "what it needs is unknown: " + small.NeedsUnknown.Error()
	}
	return small.Trace, note
}

// named is the cell with the test's name as that of the lock.
func (p *property) named(test string) Cell {
	c := p.cell
	c.Lock.ID = test
	return c
}

// nofailfile reports whether rapid is told to keep no files.
func nofailfile() bool {
	f := flag.Lookup("rapid.nofailfile")
	return f != nil && f.Value.String() == "true"
}

// joined are two remarks.
func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// storyText is what Check says of a violation, with the command that replays it.
func storyText(t *traces.Trace, note, path string) string {
	var b strings.Builder
	b.WriteByte('\n')
	_ = render.Explain(&b, t, render.Style{}) // a Builder takes everything
	if note != "" {
		fmt.Fprintf(&b, "note        %s\n", note)
	}
	if path == "" {
		return b.String() + "replay      as rapid says above"
	}
	fmt.Fprintf(&b, "trace       %s\n", path)
	command := testbinary.Command{Pattern: testbinary.Pattern(t.Test.Name), Flags: []string{testbinary.ReplayFlag(path)}}
	if t.Test.Package != testbinary.ModulePath() {
		command.Package = t.Test.Package
	}
	return b.String() + command.String()
}

// replay runs the trace that -simrun.replay names, if it is of this test, and fails as it
// does. Rapid keeps no file of that, and prints nothing of a test that passes.
func (p *property) replay(t *rapid.T) {
	p.replayed.Do(func() {
		if p.came = p.replayFlag(t); p.came.fails == "" {
			fmt.Fprintln(os.Stdout, p.came.log)
		}
	})
	if p.came.fails == "" {
		return
	}
	t.Log(p.came.log)
	rapidtape.Fail(t, "replay", p.came.fails)
}

// replayOf is what came of a replay: what it logs, and why it fails.
type replayOf struct{ log, fails string }

func (p *property) replayFlag(t *rapid.T) replayOf {
	_ = flag.Set("rapid.nofailfile", "true") // there are no draws that it could keep
	path := testbinary.Replay()
	old, err := traces.ReadFile(testbinary.Absolute(path))
	switch {
	case err != nil:
		return replayOf{fails: "-simrun.replay: " + err.Error()}
	case old.Test != nil && old.Test.Name != t.Name():
		if testbinary.Elsewhere(*old.Test) {
			return replayOf{fails: fmt.Sprintf("-simrun.replay=%s: the trace is of %s in %s, which this command does not run", path, old.Test.Name, old.Test.Package)}
		}
		return replayOf{log: fmt.Sprintf("-simrun.replay=%s belongs to %s; nothing was run here", path, old.Test.Name)}
	case old.Trouble != nil || old.Property == "":
		return replayOf{fails: "-simrun.replay=" + path + ": the trace has no violation that a property could show"}
	}
	c := p.named(t.Name())
	if c, err = RestoreCell(old.Scenario, c.Lock.ID, old.Parameters, []Lock{c.Lock}); err != nil {
		return replayOf{fails: "-simrun.replay: " + err.Error()}
	}
	tape := explore.NewReplay(old.Tape)
	out := c.Run(explore.Run{Tape: tape, Record: true})
	if f := out.Failure; f != nil {
		return replayOf{log: f.Stack, fails: "the run of " + path + " did not finish: " + f.Reason}
	}
	violated := out.Violated()
	now := c.Trace(old.Seed, old.Schedule, old.Property, out)
	now.Strategy, now.Shrunk, now.Test = old.Strategy, old.Shrunk, old.Test
	how := "replayed from " + path
	if d := tape.Diverged(); d != nil {
		how += fmt.Sprintf("; the run differs from the recorded one from decision %d on", d.Decision)
	} else if now.Hash == old.Hash {
		now.Attribution = old.Attribution
	}
	if text := now.Reclassified(old); text != "" {
		how += "; " + text
	}
	text := storyText(now, how, path)
	switch fault := slices.Contains(violated, model.Violation{Property: old.Property}); {
	case !old.Violation().Shown(violated):
		return replayOf{log: how + ": it no longer fails (" + wording.Printable(old.Property) + ")"}
	case !fault && !p.strict:
		return replayOf{log: text} // a limit
	}
	return replayOf{log: text, fails: old.Property + " is violated"}
}
