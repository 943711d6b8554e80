package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// textPrinter prints for people.
type textPrinter struct {
	*app
	command *runCmd
	paint   paint
	cell    scenarios.Cell
	live    bool // progress makes sense
	shown   time.Time
	started time.Time
	best    *traces.Trace // the finding that says most
}

func (p *textPrinter) begin() {
	p.started = time.Now()
	c := p.cell
	fmt.Fprintf(p.out, "%s  lock %s, seed %d, %s\n", p.paint.bold(c.Scenario.ID), p.paint.bold(c.Lock.ID), p.command.Seed, schedules(p.command.Runs))
	fmt.Fprintf(p.out, "%s\n\n", p.paint.faint(c.Scenario.Summary))
}

// progress shows where the search is, on one line of a terminal.
func (p *textPrinter) progress(s *explore.Summary) {
	now := time.Now()
	if !p.live || now.Sub(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = now
	rate := float64(s.Schedules) / now.Sub(p.started).Seconds()
	left := time.Duration(float64(p.command.Runs-s.Schedules) / rate * float64(time.Second))
	fmt.Fprintf(p.err, "\r\x1b[K%s of %s schedules, %.0f/s, %d violated properties, %s left",
		count(s.Schedules), count(p.command.Runs), rate, len(s.Violations), left.Round(time.Second))
}

func (p *textPrinter) clear() {
	if p.live {
		fmt.Fprint(p.err, "\r\x1b[K")
	}
}

// finding tells of a counterexample in a sentence, and says what to do with
// it. The one that says most is told in full at the end.
func (p *textPrinter) finding(t *traces.Trace, path string) {
	p.clear()
	kind := ""
	if t.Limit {
		kind = p.paint.faint(" (a limit of leases here, not a fault of the lock)")
	}
	fmt.Fprintf(p.out, "%s %s in schedule %s%s\n", p.paint.red("VIOLATED"), p.paint.bold(t.Property), count(t.Schedule), kind)
	if v := t.Verdict(); v != nil {
		fmt.Fprintf(p.out, "  %s\n", v.Sentence)
	}
	if p.best == nil || weight(t) > weight(p.best) {
		p.best = t
	}
	if path == "" {
		fmt.Fprintf(p.out, "  trace   could not be written\n\n")
		return
	}
	fmt.Fprintf(p.out, "  trace   %[1]s\n  replay  %[2]s replay %[3]s\n  look    %[2]s view %[3]s\n\n", path, p.name, shellWord(path))
}

func (p *textPrinter) end(s *explore.Summary, elapsed time.Duration) {
	p.clear()
	p.troubles(s)
	if p.best != nil {
		_ = traces.Explain(p.out, p.best, traces.Style{Color: p.paint.on}) // out is where it went
		fmt.Fprintln(p.out)
	}
	result := s.Result()
	colour := map[int]func(string) string{exitNone: p.paint.green, exitViolation: p.paint.red}[codeOf(result)]
	if colour == nil {
		colour = p.paint.yellow
	}
	fmt.Fprintf(p.out, "%s %s\n", p.paint.bold("result"), colour(result)+p.meaning(result, s))
	for _, id := range checker.IDs() {
		if n := s.Violations[id]; n > 0 {
			limit := ""
			if slices.Contains(p.cell.Params.Limits(), id) {
				limit = p.paint.faint(" (limit)")
			}
			fmt.Fprintf(p.out, "  %-20s violated in %s of %s, first in %s%s\n", id, count(n), schedules(s.Schedules), count(s.First[id].Schedule), limit)
		}
	}
	if v := s.FirstUndecided; v != nil {
		fmt.Fprintf(p.out, "  %-20s undecided first in %s: %s\n", v.Property, count(s.UndecidedIn), v.Sentence)
	}
	for i, h := range p.cell.Scenario.Happenings {
		fmt.Fprintf(p.out, "  it happened that %s: in %s\n", h.Name, schedules(s.Happened[i]))
	}
	if s.Interrupted {
		fmt.Fprintf(p.out, "  %s after %s of %s\n", p.paint.yellow("interrupted"), count(s.Schedules), schedules(p.command.Runs))
	}
	took := ""
	if !p.command.Stable {
		took = ", in " + span(elapsed)
	}
	fmt.Fprintf(p.out, "  %s, %s events, %s simulated%s\n", schedules(s.Schedules), count(s.Events), span(s.Simulated), took)
	fmt.Fprintf(p.out, "  again: %s\n", p.command.again(p.app, p.cell))
}

// weight is how much a finding says: a fault of the lock more than a limit of
// leases, and harm done more than harm that could have been done.
func weight(t *traces.Trace) int {
	w := 0
	if !t.Limit {
		w += 2
	}
	if t.Property == checker.NoLostUpdate {
		w++
	}
	return w
}

// troubles shows the runs that came to no proper end.
func (p *textPrinter) troubles(s *explore.Summary) {
	for _, t := range s.Troubles {
		fmt.Fprintf(p.out, "%s in schedule %s: %s\n", p.paint.red(strings.ToUpper(string(t.Kind))), count(t.Schedule), t.Reason)
		if t.Stack != "" {
			fmt.Fprintf(p.out, "%s\n", indent(t.Stack))
		}
		fmt.Fprintln(p.out)
	}
}

// schedules counts them.
func schedules(n int) string {
	if n == 1 {
		return "1 schedule"
	}
	return count(n) + " schedules"
}

// meaning says what a result does and does not tell.
func (p *textPrinter) meaning(result string, s *explore.Summary) string {
	switch result {
	case explore.NoneFound:
		return fmt.Sprintf(": no counterexample in %s at random", schedules(s.Schedules))
	case explore.Vacuous:
		i := slices.Index(s.Happened, 0)
		return fmt.Sprintf(": it never happened that %s, so this says nothing about the lock; run more schedules (--runs), or check that its fault has a budget (--param)", p.cell.Scenario.Happenings[i].Name)
	case string(explore.Inconclusive):
		if s.Interrupted {
			return ": nothing found so far"
		}
		return fmt.Sprintf(": %d schedules could not be decided", s.Undecided+len(s.Troubles))
	case string(explore.Nondeterministic):
		return ": the same tape gave different runs, so nothing found here can be trusted; see the command doctor"
	}
	return ""
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ")
}
