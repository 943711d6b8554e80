package realcommand

import (
	"context"
	"fmt"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/real/attach"
)

// check checks a client against the protocol. The exit code is 4 if it breaks a rule.
func (c *attachCmd) check(ctx context.Context, h command.Host, t *attach.Target) error {
	list, err := t.Check(ctx)
	if err := c.ended(h, err); err != nil {
		return err
	}
	if c.JSON {
		broken, err := c.checkedJSON(h, list)
		if err == nil && broken > 0 {
			err = recorded.Exit(recorded.ExitTrouble)
		}
		return err
	}
	wrong := 0
	for _, r := range list {
		switch {
		case r.Wrong != "":
			wrong++
			fmt.Fprintf(h.Out(), "✗ %s\n    %s\n", r.Rule, lines(r.Wrong))
		case r.Note != "":
			fmt.Fprintf(h.Out(), "✓ %s (%s)\n", r.Rule, wording.Printable(r.Note))
		default:
			fmt.Fprintf(h.Out(), "✓ %s\n", r.Rule)
		}
	}
	if wrong > 0 {
		fmt.Fprintf(h.Out(), "%s broken: see docs/attach.md\n", count(wrong, "rule is", "rules are"))
		return recorded.Exit(recorded.ExitTrouble)
	}
	fmt.Fprintln(h.Out(), "the client keeps the protocol")
	return nil
}
