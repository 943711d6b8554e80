package main

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// levels is a table of what was searched, bound by bound.
func (p *textPrinter) levels(s *explore.CheckSummary) {
	fmt.Fprintf(p.out, "%s  %10s  %9s  %10s  %s\n", p.paint.bold("bound"), "schedules", "not run", "orders", "violated first here")
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
		fmt.Fprintln(p.out, strings.TrimRight(line, " "))
	}
	fmt.Fprintln(p.out)
}

// statement says exactly what a check did: what was bounded by what, how many
// schedules that is, what counts as a deviation and what was fixed.
func (h *hunt) statement(s *explore.CheckSummary) string {
	parts := []string{h.extent(s)}
	if s.Unmatched > 0 {
		parts = append(parts, fmt.Sprintf("But the reduction does not hold here: of %s, which were come upon by a needless deviation, there is no run without one. The code under test spoils it, for example by drawing from a random source that processes share; use --plain.", classes(s.Unmatched)+" of orders"))
	}
	return strings.Join(append(parts,
		"A deviation is a choice that is not the calm run's: "+strings.Join(h.cell.Deviations(), "; ")+".",
		"Latencies have no other values than these, and the seeds of the processes are the calm run's."), " ")
}

// extent says what was searched, and whether that is all.
func (h *hunt) extent(s *explore.CheckSummary) string {
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
		text = "This is a part of the search only."
	case s.Complete < 0:
		text = "No bound was searched whole."
	case s.Complete == 0:
		text += "."
	case h.id.Plain:
		text += fmt.Sprintf(", which are %s, of %s of orders.", wording.Grouped(ran), classes(s.Levels[s.Complete].Orders))
	default:
		text += fmt.Sprintf(", up to the order of independent events: %s were run, of %s of orders; %s more, and any behind a deviation that changes nothing but such an order, are of the class of one that was run.",
			wording.Grouped(ran), classes(s.Levels[s.Complete].Orders), wording.Grouped(idle))
	}
	if s.Complete < s.Bound {
		text += " " + h.unreached(s, s.Schedules-ran)
	}
	return text
}

// share is the extent of a shard: what it covered itself. What the shards come
// to together, and whether the reduction holds, it cannot know.
func (h *hunt) share(s *explore.CheckSummary) string {
	ran, idle := 0, 0
	for _, l := range s.Levels[:s.Complete+1] {
		ran += l.Schedules
		idle += l.Idle
	}
	var text string
	switch {
	case s.Complete < 0:
		text = fmt.Sprintf("Shard %s searched of no bound all that it has of it.", h.shard)
	case ran == 0:
		text = fmt.Sprintf("Searched: nothing, since shard %s has no schedule to run of bound %d.", h.shard, s.Complete)
	default:
		text = fmt.Sprintf("Searched: what shard %s has of bound %d: %s were run, of %s of orders, and %s left out.",
			h.shard, s.Complete, schedules(ran), classes(s.Levels[s.Complete].Orders), wording.Grouped(idle))
	}
	if s.Complete < s.Bound {
		text += " " + h.unreached(s, s.Schedules-ran)
	}
	text += " The rest is for the other shards, and whether all is exhausted is for simrun merge to say."
	if !h.id.Plain {
		text += " So is whether the reduction holds, by which schedules are left out that differ only in the order of independent events: it was not verified here, since that takes the runs of all shards."
	}
	return text
}

// unreached says why the bound was not reached.
func (h *hunt) unreached(s *explore.CheckSummary, begun int) string {
	next := s.Complete + 1
	rest := ""
	if begun > 0 {
		rest = fmt.Sprintf(", of which %s were run", schedules(begun))
	}
	switch {
	case s.Interrupted:
		return fmt.Sprintf("Bound %d was interrupted%s.", next, rest)
	case len(s.Missing) > 0:
		return fmt.Sprintf("Of bound %d and those behind it a part is missing: %s were run.", next, schedules(begun))
	case s.Limited:
		size := estimate(s.Sizes[next])
		if next > 2 { // the smaller ones are known
			size = "about " + size
		}
		return fmt.Sprintf("Bound %d has %s schedules more, too many for --limit %s, and was not begun.", next, size, wording.Grouped(h.id.Limit))
	case len(s.Troubles) > 0:
		return fmt.Sprintf("Of bound %d not all schedules came to a proper end%s.", next, rest)
	}
	return fmt.Sprintf("Bound %d was not finished%s.", next, rest)
}
