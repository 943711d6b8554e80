package locktest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// shrinkFlag shrinks the trace that -simrun.shrink names, and writes the smaller one beside it.
func (x *session) shrinkFlag(ctx context.Context, t *testing.T) {
	t.Helper()
	path := testbinary.Shrink()
	old := x.named(t, "-simrun.shrink", path, "shrink it by", gotest.Shrink)
	if old == nil {
		return
	}
	t.Run(old.Scenario, func(t *testing.T) {
		t.Helper()
		out := traces.ShrunkPath(path)
		small, err := x.shrunk(ctx, old, testbinary.Absolute(out))
		if err != nil {
			t.Fatalf("-simrun.shrink=%s: %s", path, x.why(err))
		}
		var b strings.Builder
		_ = render.Explain(&b, small, render.Style{}) // a Builder takes everything
		t.Logf("\n%strace       %s\n%s", b.String(), out, x.command(old.Scenario, out, true))
	})
}

// shrunk shrinks a trace and writes the smaller one to a file.
func (x *session) shrunk(ctx context.Context, old *traces.Trace, file string) (*traces.Trace, error) {
	if old.Property == "" {
		return nil, fmt.Errorf("it has no violation to shrink")
	}
	if err := traces.MayReplace(file, old); err != nil {
		return nil, err
	}
	c, err := x.recorded(old)
	if err != nil {
		return nil, err
	}
	r := x.newReducer()
	r.Effort = hunt.Usual // somebody asks for it
	small, err := r.Again(ctx, c, old)
	if err != nil {
		return nil, err
	}
	small.Test = &x.call
	return small, traces.WriteFile(file, small)
}
