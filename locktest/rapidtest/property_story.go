package rapidtest

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// rapidStrategy is the strategy in traces of runs found by rapid.
const rapidStrategy = "rapid"

// explainedRun is the explanation of a failing run.
type explainedRun struct {
	test, text string
	hash       uint64
}

// explain shrinks a failing run, keeps its trace, and describes it for the test. Rapid asks for the same run twice: for
// its fail file, and for the test's output.
func (p *property) explain(r *drawn, v model.Violation, test string) string {
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
	p.last = &explainedRun{test, storyText(trace, note, path), r.outcome.Hash}
	return p.last.text
}

// smaller returns the trace of a failing run, shrunk as far as possible in this process. The note describes errors.
func (p *property) smaller(r *drawn, v model.Violation, test string) (t *traces.Trace, note string) {
	c := p.named(test)
	found := explore.Finding{Property: v.Property, Limit: v.Limit, Tape: r.tape, Outcome: p.rerun(r)}
	t = c.Trace(0, 0, v.Property, found.Outcome)
	t.Strategy, t.Test = rapidStrategy, testOf(test)
	reducer := p.reducerHere(c.Lock)
	if testing.Short() {
		reducer.Effort = hunt.Brief
	}
	allowance := explore.NewAllowance(found.Outcome.Events, locktest.DefaultRuns)
	small := reducer.Reduce(context.Background(), c, t, found, nil, allowance.Share(0, v.Limit))
	switch {
	case small.NotShrunk != nil:
		note = "not shrunk: " + small.NotShrunk.Error()
	case small.NeedsUnknown != nil:
		note = "what it needs is unknown: " + small.NeedsUnknown.Error()
	}
	return small.Trace, note
}

// known returns a registry with the lock, under its present name, and its variants, in all scenarios.
func (p *property) known(l cell.Lock) cell.Registry {
	return cell.Registry{Scenarios: scenarios.All(), Locks: append([]cell.Lock{l}, p.variants...)}
}

// reducerHere is a reducer whose runs of the lock are made in this process.
func (p *property) reducerHere(l cell.Lock) hunt.Reducer {
	known := p.known(l)
	return hunt.Reducer{Worker: explore.Worker{Here: &explore.Here{Resolve: known.Resolve}}, Known: known, Effort: hunt.Usual}
}

// testOf identifies the property of a test in its traces.
func testOf(test string) *traces.Test {
	return &traces.Test{Name: test, Package: testbinary.PackagePath(), Call: 1}
}

// named returns the cell with the test's name as that of the lock.
func (p *property) named(test string) cell.Cell {
	c := p.cell
	c.Lock.ID = test
	return c
}

// nofailfile reports whether rapid must keep no files.
func nofailfile() bool {
	f := flag.Lookup("rapid.nofailfile")
	return f != nil && f.Value.String() == "true"
}

// joined joins two remarks.
func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// storyText returns Check's text for a violation, with the command that replays it.
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
	command := gotest.Command{Pattern: gotest.Pattern(t.Test.Name), Package: testbinary.PackageArgument(), Flags: []string{gotest.ReplayFlag(path)}}
	return b.String() + command.String()
}
