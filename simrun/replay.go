package simrun

import (
	"context"
	"fmt"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// The commands about a recorded trace, which package recorded carries out.
type (
	replayCmd struct {
		recorded.Replay
		Command []string `arg:"" optional:"" help:"Behind --: the program of a client process, and its arguments, for a trace of simrun attach."`
	}
	shrinkCmd struct{ recorded.Shrink }
	diffCmd   struct{ recorded.Diff }
)

// Run replays a trace.
func (c *replayCmd) Run(ctx context.Context, a *app, h command.Host) (err error) {
	var t *traces.Trace
	if t, c.Trace, err = read(ctx, c.Trace); err != nil {
		return err
	}
	if t.Attached != nil {
		return c.replayAttached(ctx, a, h, t)
	}
	if len(c.Command) > 0 {
		return usageError{fmt.Errorf("%s is no trace of simrun attach: it takes no command", c.Trace)}
	}
	if t.Experiment != nil {
		return c.replayExperiment(ctx, a, t)
	}
	return a.of(ctx, t, c.Trace, &c.Replay)
}

// Run shrinks a trace.
func (c *shrinkCmd) Run(ctx context.Context, a *app) (err error) {
	var t *traces.Trace
	if t, c.Trace, err = read(ctx, c.Trace); err != nil {
		return err
	}
	return a.of(ctx, t, c.Trace, &c.Shrink)
}

// Run compares two traces, or one with its nearest passing run. Only the latter needs the lock.
func (c *diffCmd) Run(ctx context.Context, a *app) (err error) {
	if c.A, err = located(ctx, c.A); err != nil {
		return err
	}
	if c.B != "" {
		if c.B, err = located(ctx, c.B); err != nil {
			return err
		}
		return c.Diff.Run(ctx, a.host())
	}
	path, err := recorded.At(c.A)
	if err != nil {
		return err
	}
	t, err := recorded.Read(path)
	if err != nil {
		return err
	}
	return a.of(ctx, t, path, &c.Diff)
}

// read reads a trace, and returns its path.
func read(ctx context.Context, name string) (*traces.Trace, string, error) {
	path, err := located(ctx, name)
	if err != nil {
		return nil, name, err
	}
	t, err := recorded.Read(path)
	return t, path, err
}

// replayWith returns the command that replays a trace; empty for a run on real servers.
func (a *app) replayWith(t *traces.Trace, path string) string {
	if t.Attached != nil {
		return a.attachedWith(t, path)
	}
	if t.Real != nil {
		return ""
	}
	if t.Test != nil {
		return gotest.Replay(t, path)
	}
	return a.name + " replay " + wording.ShellPath(path)
}
