package simrun

import (
	"context"
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// replayAttached runs a trace of foreign clients again. The command is that of the command line, not the recorded one: a
// trace may come from anywhere, and must not choose what runs here.
func (c *replayCmd) replayAttached(ctx context.Context, a *app, h command.Host, t *traces.Trace) error {
	if err := c.Check(); err != nil {
		return err
	}
	if len(c.Command) == 0 {
		return usageError{fmt.Errorf("%s is of foreign clients, and runs only a command that you give: %s", c.Trace, a.attachedWith(t, c.Trace))}
	}
	for _, added := range a.commands {
		if added.Attached != nil {
			return added.Attached(ctx, h, t, command.Again{Path: c.Trace, Command: c.Command, Out: c.Out, JSON: c.JSON})
		}
	}
	return usageError{fmt.Errorf("%s cannot be replayed here: this program has no real servers; github.com/lockpick-dev/lockpick/lab/cmd/simrun has", c.Trace)}
}

// attachedWith returns the command that replays a trace of foreign clients.
func (a *app) attachedWith(t *traces.Trace, path string) string {
	words := []string{a.name, "replay", wording.ShellPath(path), "--"}
	for _, w := range t.Attached.Command {
		words = append(words, wording.Shell(wording.Printable(w)))
	}
	return strings.Join(words, " ")
}
