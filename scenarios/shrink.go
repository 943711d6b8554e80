package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios/internal/testbinary"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// shrinkBudget is the most runs for shrinking a trace that somebody asks to have shrunk.
const shrinkBudget = 3000

// shrinkFlag shrinks the trace that -simrun.shrink names, and writes the smaller one beside it.
func (a *attack) shrinkFlag(ctx context.Context, t *testing.T) {
	t.Helper()
	path := testbinary.Shrink()
	old := a.named(t, "-simrun.shrink", path, "shrink it by", ShrinkCommand)
	if old == nil {
		return
	}
	t.Run(old.Scenario, func(t *testing.T) {
		t.Helper()
		out := traces.ShrunkPath(path)
		small, err := a.shrunk(ctx, old, testbinary.Absolute(out))
		if err != nil {
			t.Fatalf("-simrun.shrink=%s: %s", path, a.why(err))
		}
		var b strings.Builder
		_ = render.Explain(&b, small, render.Style{}) // a Builder takes everything
		t.Logf("\n%strace       %s\n%s", b.String(), out, a.command(old.Scenario, out, true))
	})
}

// shrunk shrinks a trace and writes the smaller one to a file.
func (a *attack) shrunk(ctx context.Context, old *traces.Trace, file string) (*traces.Trace, error) {
	if old.Property == "" {
		return nil, fmt.Errorf("it has no violation to shrink")
	}
	if err := traces.MayReplace(file, old); err != nil {
		return nil, err
	}
	c, err := a.recorded(old)
	if err != nil {
		return nil, err
	}
	r := a.newReducer()
	r.FaultRuns, r.LimitRuns = shrinkBudget, shrinkBudget
	small, err := r.Again(ctx, c, old)
	if err != nil {
		return nil, err
	}
	small.Test = &a.call
	return small, traces.WriteFile(file, small)
}

// ShrinkCommand is the go test command that shrinks a trace of a test's lock from anywhere in the
// test's module, and writes the smaller one beside it. Path is that of the trace.
func ShrinkCommand(t *traces.Trace, path string) string {
	return commandOf(t, path, testbinary.ShrinkFlag)
}
