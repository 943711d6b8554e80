package simrun

import (
	"fmt"
	"io"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// levels prints a table of the searched bounds.
func (p *textPrinter) levels(w io.Writer, s *explore.CheckSummary) {
	fmt.Fprintf(w, "%s  %10s  %9s  %10s  %s\n", p.paint.Bold("bound"), "schedules", "not run", "orders", "violated first here")
	for i, l := range s.Levels {
		var first []string
		for _, v := range checker.InOrder(s.Violations) {
			if s.First[v].Deviations == i {
				first = append(first, v.String())
			}
		}
		line := fmt.Sprintf("%5d  %10s  %9s  %10s  %s", i, wording.Grouped(l.Schedules), wording.Grouped(l.Idle), wording.Grouped(l.Orders), strings.Join(first, ", "))
		if i > s.Complete && p.shard.Of < 2 {
			line += " (not all)"
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	fmt.Fprintln(w)
}

// coverage describes exactly what a check did: the bounds, the number of schedules, what counts as a deviation, and what
// was fixed.
func (h *session) coverage(s *explore.CheckSummary) string {
	parts := []string{h.extent(s)}
	if s.Unmatched > 0 {
		parts = append(parts, fmt.Sprintf("But the reduction does not hold here: %s occurred only with a redundant deviation. The code under test breaks it, for example by drawing from a random source that processes share; use --plain.", classes(s.Unmatched)+" of orders"))
	}
	return strings.Join(append(parts,
		"A deviation is a choice that is not the calm run's: "+strings.Join(h.cell.Deviations(), "; ")+".",
		"Latencies take no other values than these, and the processes have the seeds of the calm run, and the selects the order of the source."), " ")
}

// extent describes what was searched, and whether that is everything.
func (h *session) extent(s *explore.CheckSummary) string {
	if h.shard.Of > 1 {
		return h.share(s)
	}
	ran, idle := 0, 0
	for _, l := range s.Levels[:s.Complete+1] {
		ran += l.Schedules
		idle += l.Idle
	}
	within := "all schedules with at most " + wording.GroupedCount(s.Complete, "deviation") + " from the calm run"
	if s.Complete == 0 {
		within = "the calm run"
	}
	text := fmt.Sprintf("Searched: %s", within)
	switch {
	case len(s.Missing) > 0 && s.Complete < 0:
		text = "This is only a part of the search."
	case s.Complete < 0:
		text = "No bound was searched completely."
	case s.Complete == 0:
		text += "."
	case h.id.Plain:
		text += fmt.Sprintf(", which are %s, of %s of orders.", wording.Grouped(ran), classes(s.Levels[s.Complete].Orders))
	default:
		text += fmt.Sprintf(", up to the order of independent events: %s were run, of %s of orders. Left out as equivalent: %s, and all that follow a deviation that changes only such an order.",
			wording.Grouped(ran), classes(s.Levels[s.Complete].Orders), wording.Grouped(idle))
	}
	if s.Complete < s.Bound {
		text += " " + h.unreached(s, s.Schedules-ran)
	}
	return text
}

// share describes what a shard itself covered. It cannot know what the shards cover together, nor whether the reduction
// holds.
func (h *session) share(s *explore.CheckSummary) string {
	ran, idle := 0, 0
	for _, l := range s.Levels[:s.Complete+1] {
		ran += l.Schedules
		idle += l.Idle
	}
	var text string
	switch {
	case s.Complete < 0:
		text = fmt.Sprintf("Shard %s completed its part of no bound.", h.shard)
	case ran == 0:
		text = fmt.Sprintf("Searched: nothing, because shard %s has no schedule of bound %d.", h.shard, s.Complete)
	default:
		text = fmt.Sprintf("Searched: the part of shard %s of bound %d: %s were run, of %s of orders, and %s left out.",
			h.shard, s.Complete, schedules(ran), classes(s.Levels[s.Complete].Orders), wording.Grouped(idle))
	}
	if s.Complete < s.Bound {
		text += " " + h.unreached(s, s.Schedules-ran)
	}
	text += " The other shards have the rest; simrun merge decides whether the bound is exhausted."
	if !h.id.Plain {
		text += " It also verifies the reduction, which leaves out schedules that differ only in the order of independent events; that takes the runs of all shards."
	}
	return text
}

// unreached returns why the bound was not reached.
func (h *session) unreached(s *explore.CheckSummary, begun int) string {
	next := s.Complete + 1
	rest := ""
	if begun > 0 {
		rest = fmt.Sprintf(", of which %s were run", schedules(begun))
	}
	switch {
	case s.Interrupted:
		return fmt.Sprintf("Bound %d was interrupted%s.", next, rest)
	case len(s.Missing) > 0:
		return fmt.Sprintf("A part of bound %d and the later ones is missing: %s were run.", next, schedules(begun))
	case s.Limited:
		size := estimate(s.Sizes[next])
		if next > 2 { // the smaller ones are known
			size = "about " + size
		}
		return fmt.Sprintf("Bound %d has %s schedules more, too many for --limit %s, and was not begun.", next, size, wording.Grouped(h.id.Limit))
	case len(s.Troubles) > 0:
		return fmt.Sprintf("Some schedules of bound %d did not finish%s.", next, rest)
	}
	return fmt.Sprintf("Bound %d was not finished%s.", next, rest)
}
