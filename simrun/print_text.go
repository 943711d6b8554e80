package simrun

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// printer shows a search.
type printer interface {
	begin()
	finding(t *traces.Trace, path string, notes []string)
	warning(text string)
	end(o *outcome)
}

func (h *hunt) printer() printer {
	if h.JSON {
		return &jsonPrinter{hunt: h, out: json.NewEncoder(h.out)}
	}
	return &textPrinter{hunt: h, paint: painter(h.out)}
}

// textPrinter prints for people.
type textPrinter struct {
	*hunt
	paint paint
	best  *traces.Trace // the finding that says most
}

func (p *textPrinter) begin() {
	c := p.cell
	what := fmt.Sprintf("strategy %s, seed %d, %s", p.id.Strategy, p.id.Seed, schedules(p.id.Runs))
	if p.id.Kind == checkKind {
		what = fmt.Sprintf("bound %d", p.id.Bound)
		if p.id.Plain {
			what += ", without reduction"
		}
	}
	if p.shard.Of > 1 {
		what += ", shard " + p.shard.String()
	}
	fmt.Fprintf(p.out, "%s  lock %s, %s\n", p.paint.bold(c.Scenario.ID), p.paint.bold(c.Lock.ID), what)
	fmt.Fprintf(p.out, "%s\n\n", p.paint.faint(c.Summary()))
}

// finding tells of a counterexample in a sentence, and says what to do with
// it. The one that says most is told in full at the end.
func (p *textPrinter) finding(t *traces.Trace, path string, notes []string) {
	kind := ""
	if t.Limit {
		kind = p.paint.faint(" (a limit of leases, not a fault of the lock" + causeWord("; cause: ", t.Verdict()) + ")")
	}
	fmt.Fprintf(p.out, "%s %s in schedule %s%s\n", p.paint.red("VIOLATED"), p.paint.bold(t.Property), wording.Grouped(t.Schedule), kind)
	if v := t.Verdict(); v != nil {
		fmt.Fprintf(p.out, "  %s\n", v.Sentence)
	}
	if t.Shrunk != nil {
		fmt.Fprintf(p.out, "  %s\n", shrinkText(t))
	}
	p.attribution(t.Attribution)
	for _, note := range notes {
		fmt.Fprintf(p.out, "  %s\n", note)
	}
	if p.best == nil || weight(t) > weight(p.best) {
		p.best = t
	}
	if path == "" {
		fmt.Fprintf(p.out, "  trace   could not be written\n\n")
		return
	}
	fmt.Fprintf(p.out, "  trace   %[1]s\n  replay  %[2]s replay %[3]s\n  look    %[2]s view %[3]s\n\n", path, p.name, wording.Shell(path))
}

// attribution prints what the counterexample needs and which remedies help.
func (p *textPrinter) attribution(a *traces.Attribution) {
	if a == nil {
		return
	}
	for _, d := range a.Deviations {
		if d.Needed {
			fmt.Fprintf(p.out, "  needs   %s\n", d.Text)
		}
	}
	for _, r := range a.Remedies {
		switch {
		case r.Gone && r.Note != "":
			fmt.Fprintf(p.out, "  gone    with %s, in %s; %s\n", r.Text, schedules(r.Schedules), r.Note)
		case r.Gone:
			fmt.Fprintf(p.out, "  gone    with %s, in %s\n", r.Text, schedules(r.Schedules))
		}
	}
}

func (p *textPrinter) end(o *outcome) {
	p.troubles(o)
	if p.best != nil {
		_ = render.Explain(p.out, p.best, render.Style{Color: p.paint.on}) // out is where it went
		fmt.Fprintln(p.out)
	}
	if o.check != nil {
		p.levels(o.check)
	}
	colour := map[int]func(string) string{exitNone: p.paint.green, exitViolation: p.paint.red}[codeOf(o.result)]
	if colour == nil {
		colour = p.paint.yellow
	}
	fmt.Fprintf(p.out, "%s %s%s\n", p.paint.bold("result"), colour(o.result), p.meaning(o))
	p.violations(o)
	if v := o.FirstUndecided; v != nil {
		fmt.Fprintf(p.out, "  %-20s undecided first in %s: %s\n", v.Property, wording.Grouped(o.UndecidedIn), v.Sentence)
	}
	for i, h := range p.cell.Happenings() {
		fmt.Fprintf(p.out, "  in %s %s\n", schedules(o.Happened[i]), h.Name)
	}
	took := ""
	if !p.Stable && !p.merging {
		took = ", in " + span(o.elapsed)
		if p.known != nil {
			took += " since it was resumed"
		}
	}
	fmt.Fprintf(p.out, "  %s, %s of outcomes, %s events, %s simulated%s\n", schedules(o.Schedules), classes(len(o.Classes)), wording.Grouped(o.Events), span(o.Simulated), took)
	if more := p.promised(o); more != "" {
		fmt.Fprintf(p.out, "  %s\n", more)
	}
	fmt.Fprintf(p.out, "  again: %s\n", p.again())
	if o.check != nil {
		fmt.Fprintf(p.out, "\n%s\n", wrapped(p.statement(o.check)))
	}
	p.last(o)
}

// last says how to continue a search that is not complete.
func (p *textPrinter) last(o *outcome) {
	switch {
	case o.interrupted:
		fmt.Fprintf(p.out, "%s; continue with: %s\n", p.paint.yellow("interrupted"), p.goOn())
	case len(o.missing) > 0:
		fmt.Fprintf(p.out, "%s; merge it as well, or continue here with: %s\n", p.paint.yellow("missing is "+p.absent(o.missing)), p.goOn())
	case p.shard.Of > 1:
		fmt.Fprintf(p.out, "this is shard %s; simrun merge joins it with the others, from %s\n", p.shard, p.keep.path)
	}
}

// violations says how often each property was violated, as a fault and as a limit.
func (p *textPrinter) violations(o *outcome) {
	for _, v := range checker.InOrder(o.Violations) {
		limit := ""
		if v.Limit {
			limit = p.paint.faint(" (limit)")
		}
		needs := ""
		if o.check != nil {
			needs = ", needs " + wording.GroupedCount(o.First[v].Deviations, "deviation")
		}
		fmt.Fprintf(p.out, "  %-20s violated in %s of %s, first in %s%s%s\n", v.Property, wording.Grouped(o.Violations[v]), schedules(o.Schedules), wording.Grouped(o.First[v].Schedule), needs, limit)
	}
}

// causeWord is the cause of a violation behind some text, empty if none is known.
func causeWord(text string, v *model.Verdict) string {
	if v == nil || v.Cause == "" {
		return ""
	}
	return text + v.Cause
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

// troubles shows the runs that did not finish.
func (p *textPrinter) troubles(o *outcome) {
	told := map[explore.TroubleKind]bool{}
	differs := false
	for _, t := range o.Troubles {
		if t.Kind == explore.Nondeterministic {
			if differs {
				continue // each finding says it of itself
			}
			differs = true
		}
		also := ""
		if n := len(o.Leaked) - 1; t.Leaked && n > 0 {
			also = fmt.Sprintf("; so did %s more", schedules(n))
		}
		fmt.Fprintf(p.out, "%s in schedule %s: %s%s\n", p.paint.red(strings.ToUpper(string(t.Kind))), wording.Grouped(t.Schedule), t.Reason, also)
		if t.Stack != "" {
			fmt.Fprintf(p.out, "%s\n", wording.Indent(t.Stack))
		}
		if path := p.tapes[t.Kind]; path != "" && len(t.Tape) > 0 && !told[t.Kind] {
			told[t.Kind] = true
			fmt.Fprintf(p.out, "  trace   %[1]s\n  replay  %[2]s replay %[3]s\n", path, p.name, wording.Shell(path))
		}
		fmt.Fprintln(p.out)
	}
}

// meaning explains a result.
func (h *hunt) meaning(o *outcome) string {
	switch o.result {
	case explore.Violation:
		if len(o.missing) > 0 {
			return ", in the merged part of the search"
		}
	case explore.NoneFound:
		return ": " + h.noneFound(o)
	case explore.Exhausted:
		return fmt.Sprintf(": no counterexample within bound %d", h.id.Bound)
	case explore.Vacuous:
		i := slices.Index(o.Happened, 0)
		return fmt.Sprintf(": it never happened that %s, so the search says nothing about the lock; %s, or check that its fault has a budget (--param)", h.cell.Happenings()[i].Name, h.more())
	case string(explore.Inconclusive):
		return ": " + h.inconclusive(o)
	case string(explore.Nondeterministic):
		return ": the same tape gave different runs, so these findings cannot be trusted; see simrun doctor"
	}
	return ""
}

// noneFound says which schedules showed nothing.
func (h *hunt) noneFound(o *outcome) string {
	where := ""
	if h.shard.Of > 1 {
		where = " of shard " + h.shard.String()
	}
	switch {
	case o.check == nil:
		return fmt.Sprintf("no counterexample in %s%s, by the strategy %s", schedules(o.Schedules), where, h.id.Strategy)
	case o.Schedules == 0:
		return fmt.Sprintf("shard %s has no schedule of bound %d; simrun merge decides whether the bound is exhausted", h.shard, h.id.Bound)
	}
	return fmt.Sprintf("no counterexample in %s%s of bound %d; simrun merge decides whether the bound is exhausted", schedules(o.Schedules), where, h.id.Bound)
}

// more says how to search more.
func (h *hunt) more() string {
	if h.id.Kind == checkKind {
		return "raise the bound (--bound)"
	}
	return "run more schedules (--runs)"
}

// inconclusive says why no statement can be made.
func (h *hunt) inconclusive(o *outcome) string {
	switch {
	case o.interrupted:
		return "nothing found so far"
	case len(o.missing) > 0:
		return "nothing found in the merged part of the search"
	case o.Undecided+len(o.Troubles) > 0:
		return fmt.Sprintf("%s could not be decided", schedules(o.Undecided+len(o.Troubles)))
	case o.check != nil && o.check.Unmatched > 0:
		return "the reduction does not hold for this lock"
	case o.check != nil && o.check.Complete < 0:
		return "nothing was searched"
	case o.check != nil:
		where := ""
		if h.shard.Of > 1 {
			where = "by shard " + h.shard.String() + " "
		}
		return fmt.Sprintf("nothing found %swithin bound %d, and bound %d was not reached", where, o.check.Complete, h.id.Bound)
	}
	return "no statement can be made"
}
