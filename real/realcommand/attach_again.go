package realcommand

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/real/attach"
	"github.com/lockpick-dev/lockpick/traces"
)

// again is the result of running a trace of foreign clients again, as simrun replay prints it in JSON.
type again struct {
	Trace    string   `json:"trace"`
	Result   string   `json:"result"` // replayed, or not replayed
	Property string   `json:"property"`
	Cause    string   `json:"cause"`
	Limit    bool     `json:"limit"`
	Faults   []string `json:"faults"`
	Shown    int      `json:"shown"`
	Of       int      `json:"of"`
}

// again runs a trace of foreign clients again. The exit code is 1 if the violation happens in as many tries as a finding
// needs, and 4 if not.
func (c *attachCmd) again(ctx context.Context, h command.Host, t *traces.Trace, how command.Again) error {
	partial, found, err := attach.TargetOf(t)
	if err != nil {
		return command.Usagef("%s cannot be replayed: %w", how.Path, err)
	}
	partial.Command = how.Command
	target, err := newTarget(h.Locks(), c.servers, *partial)
	if err != nil {
		return err
	}
	s := &attach.Search{Target: target, Jobs: jobs(0)}
	err = s.Again(ctx, found)
	if err := c.ended(h, err); err != nil {
		return err
	}
	result, code := "replayed", recorded.ExitViolation
	if found.Times < attach.Need {
		result, code = "not replayed", recorded.ExitTrouble
	}
	if how.Out != "" && found.Trace != nil {
		if err := traces.WriteFile(how.Out, found.Trace); err != nil {
			return command.Usagef("the replayed run cannot be written: %w", err)
		}
	}
	if how.JSON {
		err = json.NewEncoder(wording.Data(h.Out())).Encode(again{how.Path, result, found.Property, found.Cause, found.Limit, found.Plan.Strings(), found.Times, found.Of})
		if err != nil {
			return err
		}
		return recorded.Exit(code)
	}
	fmt.Fprintf(h.Out(), "%s %s under %s: %d of %d tries\n%s", h.Bold(result), found.Shown, found.Scenario, found.Times, found.Of, faults(found.Candidate))
	return recorded.Exit(code)
}

// jobs returns the number of runs at a time.
func jobs(asked int) int {
	if asked > 0 {
		return asked
	}
	return 3 * runtime.NumCPU()
}
