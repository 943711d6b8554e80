package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/lockpick-dev/lockpick/fleet/internal/queue"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/wording"
)

// statusCmd shows the state of a search.
type statusCmd struct {
	NATS string `name:"nats" default:"nats://127.0.0.1:4222" help:"The address of simrun fleet serve, or of the cluster that it uses (default ${default})." placeholder:"URL"`
	JSON bool   `name:"json" help:"Print it as JSON."`
	accessFlags
}

// Run asks the server, and prints its answer.
func (c *statusCmd) Run(ctx context.Context, h command.Host) error {
	nc, err := queue.Connect(c.access(c.NATS), "simrun fleet status")
	if err != nil {
		return err
	}
	defer nc.Close()
	var s Status
	if err := queue.Ask(ctx, nc, c.Name, &s); err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(wording.Data(h.Out()))
		out.SetIndent("", "  ")
		return out.Encode(s)
	}
	s.print(h.Out(), time.Now())
	return nil
}

// print prints the status for people.
func (s *Status) print(w io.Writer, now time.Time) {
	fmt.Fprintf(w, "%s\n", s.Title)
	fmt.Fprintf(w, "  %s of %s schedules, %d of %d pieces", wording.Grouped(s.Schedules), wording.Grouped(s.Planned), s.Done, s.Pieces)
	if s.Left > 0 {
		fmt.Fprintf(w, ", about %v left", s.Left)
	}
	fmt.Fprintf(w, "\n  %d wait, %d are with workers", s.Waiting, s.Out)
	if s.Again > 0 {
		fmt.Fprintf(w, ", %d of them not for the first time", s.Again)
	}
	fmt.Fprintf(w, "; %s of outcomes; %v of processor time\n", wording.GroupedCount(s.Classes, "class"), s.Spent.Round(time.Second))
	if s.Redelivered+s.Doubles+s.Failures+s.Aside > 0 {
		fmt.Fprintf(w, "  handed out again %d, found to be there already %d, given back after an error %d, set aside %d\n", s.Redelivered, s.Doubles, s.Failures, s.Aside)
	}
	for _, f := range s.Found {
		limit := ""
		if f.Limit {
			limit = " (limit)"
		}
		fmt.Fprintf(w, "  %-20s violated in %s, first in %s%s\n", f.Property, wording.GroupedCount(f.Schedules, "schedule"), wording.Grouped(f.First), limit)
		for _, c := range f.Causes {
			fmt.Fprintf(w, "    %-18s in %s: %s\n", c.Cause, wording.Grouped(c.Schedules), c.Text)
		}
	}
	for _, h := range s.Happened {
		if h.Schedules == 0 {
			fmt.Fprintf(w, "  it has not happened so far that %s\n", h.Name)
		}
	}
	if s.Undecided+s.Troubles > 0 {
		fmt.Fprintf(w, "  %s undecided, %s\n", wording.GroupedCount(s.Undecided, "schedule"), wording.GroupedCount(s.Troubles, "trouble"))
	}
	for _, one := range s.Workers {
		fmt.Fprintf(w, "  worker %-24s %d of %d slots at work, %s kept, last heard %v ago\n", one.Name, len(one.Pieces), one.Slots, wording.GroupedCount(one.Done, "piece"), now.Sub(one.Last).Round(time.Second))
	}
}
