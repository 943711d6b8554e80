package simrun

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// printer shows a search.
type printer interface {
	begin()
	finding(f finding)
	warning(text string)
	end(o *outcome)
}

func (h *session) printer() printer {
	if h.JSON {
		return &jsonPrinter{session: h, out: json.NewEncoder(wording.Data(h.out))}
	}
	return &textPrinter{session: h, paint: painter(h.out), width: widthOf(h.out)}
}

// textPrinter prints for people.
type textPrinter struct {
	*session
	paint wording.Paint
	width int
	lines int // that have been printed

	faults, limits causes.Findings // so far
	named          []string        // the properties under which the causes were printed
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
	p.write(fmt.Sprintf("%s  %s %s, %s\n", p.paint.Bold(c.Scenario.ID), c.Noun(), p.paint.Bold(c.Lock.ID), what))
	p.write(fmt.Sprintf("%s\n\n", p.paint.Faint(broken(c.Summary(), p.width))))
}

// write prints text, and counts its lines.
func (p *textPrinter) write(text string) {
	p.lines += strings.Count(text, "\n")
	fmt.Fprint(p.out, text)
}

// finding prints at once that a cause was found, by the property that its story, at the end, has.
func (p *textPrinter) finding(one finding) {
	t, kind, known := one.Trace, "", &p.faults
	if t.Limit {
		known = &p.limits
	}
	shows := causes.Violates(t, func(_ string, v model.Violation) bool { return v.Limit == t.Limit })
	if len(known.Add([]*causes.Failure{shows})) == 0 {
		return
	}
	if t.Limit {
		kind = p.paint.Faint(" (limit" + causeWord(": ", t.Verdict()) + ")")
	}
	name := shows.First()
	if slices.Contains(p.named, name+kind) {
		name = t.Property
	}
	p.named = append(p.named, name+kind)
	p.write(fmt.Sprintf("%s %s in schedule %s%s\n", p.paint.Red("VIOLATED"), p.paint.Bold(name), wording.Grouped(t.Schedule), kind))
}

func (p *textPrinter) end(o *outcome) {
	for _, one := range o.notSearched {
		const word = "NOT SEARCHED"
		p.write(strings.Replace(broken(word+" "+one, p.width), word, p.paint.Yellow(word), 1) + "\n")
	}
	if len(p.found)+len(o.notSearched) > 0 {
		p.write("\n")
	}
	p.troubles(o, false)
	tail := p.tail(o)
	if list := p.stories(); len(list) > 0 {
		others := p.others(list[1:])
		room := reportLines - 1 - p.lines - strings.Count(others+tail, "\n")
		if o.check != nil {
			room += checkReportLines - reportLines
		}
		p.write(p.story(list[0], room) + others)
	}
	p.troubles(o, true)
	p.write(tail)
}

// tail returns the result, and how to go on.
func (p *textPrinter) tail(o *outcome) string {
	var b strings.Builder
	if o.check != nil {
		p.levels(&b, o.check)
	}
	colour := map[int]func(string) string{exitNone: p.paint.Green, exitViolation: p.paint.Red}[recorded.CodeOf(o.result)]
	if colour == nil {
		colour = p.paint.Yellow
	}
	fmt.Fprintf(&b, "%s %s%s\n", p.paint.Bold("result"), colour(o.result), p.meaning(o))
	if text := causes.Unsearched(o.notSearched); text != "" {
		fmt.Fprintf(&b, "  %s\n", p.paint.Yellow(text))
	}
	p.violations(&b, o)
	if v := o.FirstUndecided; v != nil {
		fmt.Fprintf(&b, "  %-20s undecided first in %s: %s\n", v.Property, wording.Grouped(o.UndecidedIn), v.Sentence)
	}
	for _, id := range slices.Sorted(maps.Keys(o.Panicked)) {
		if sentence := o.Panicked[id]; o.FirstUndecided == nil || o.FirstUndecided.Sentence != sentence {
			fmt.Fprintf(&b, "  %-20s %s\n", id, sentence)
		}
	}
	for i, h := range p.cell.Happenings() {
		fmt.Fprintf(&b, "  in %s %s\n", schedules(o.Happened[i]), h.Name)
	}
	took := ""
	if !p.Stable && !p.merging && !p.joined {
		took = ", in " + span(o.elapsed)
		if p.known != nil {
			took += " since it was resumed"
		}
	}
	fmt.Fprintf(&b, "  %s, %s of outcomes, %s events, %s simulated%s\n", schedules(o.Schedules), classesOf(o.Tally), wording.Grouped(o.Events), span(o.Simulated), took)
	fmt.Fprintf(&b, "  again: %s\n", p.again())
	if o.check != nil {
		fmt.Fprintf(&b, "\n%s\n", broken(p.coverage(o.check), p.width))
	}
	p.last(&b, o)
	return b.String()
}

// last prints how to continue an incomplete search.
func (p *textPrinter) last(w io.Writer, o *outcome) {
	switch {
	case o.interrupted:
		fmt.Fprintf(w, "%s; continue with: %s\n", p.paint.Yellow("interrupted"), p.goOn())
	case len(o.missing) > 0:
		fmt.Fprintf(w, "%s; merge it as well, or continue here with: %s\n", p.paint.Yellow("missing is "+p.absent(o.missing)), p.goOn())
	case p.shard.Of > 1 && p.unkept == nil:
		fmt.Fprintf(w, "this is shard %s; simrun merge joins it with the others, from %s\n", p.shard, p.statePath())
	}
}

// violations prints how often each property was violated, as a fault and as a limit.
func (p *textPrinter) violations(w io.Writer, o *outcome) {
	text := func(v model.Violation) string {
		needs := ""
		if o.check != nil {
			needs = ", needs " + wording.GroupedCount(o.First[v].Deviations, "deviation")
		}
		return fmt.Sprintf("in %s of %s, first in %s%s", wording.Grouped(o.Violations[v]), schedules(o.Schedules), wording.Grouped(o.First[v].Schedule), needs)
	}
	for _, v := range checker.InOrder(o.Violations) {
		fault := model.Violation{Property: v.Property}
		switch {
		case !v.Limit:
			fmt.Fprintf(w, "  %-20s violated %s\n", v.Property, text(v))
		case o.Violations[fault] == 0:
			fmt.Fprintf(w, "  %-20s violated %s%s\n", v.Property, text(v), p.paint.Faint(" (limit)"))
		default:
			fmt.Fprintf(w, "  %-20s %s\n", "", p.paint.Faint("as a limit "+text(v)))
		}
	}
}

// causeWord returns text and the cause of a violation, empty if the cause is unknown.
func causeWord(text string, v *model.Verdict) string {
	if v == nil || v.Cause == "" {
		return ""
	}
	return text + v.Cause
}

// troubles prints the runs that did not finish, or those that hide no finding.
func (p *textPrinter) troubles(o *outcome, last bool) {
	shown := map[string]bool{}
	differs := false
	for _, t := range o.Troubles {
		if t.HidesNothing() != last {
			continue
		}
		if t.Kind == explore.Nondeterministic {
			if differs {
				continue // each finding notes it itself
			}
			differs = true
		}
		also := ""
		if n := len(o.Leaked) - 1; t.Leaked && n > 0 {
			also = fmt.Sprintf("; so did %s more", schedules(n))
		}
		fmt.Fprintf(p.out, "%s in schedule %s: %s%s\n", p.paint.Red(strings.ToUpper(string(t.Kind))), wording.Grouped(t.Schedule), t.Reason, also)
		if t.Stack != "" {
			fmt.Fprintf(p.out, "%s\n", wording.Indent(t.Stack))
		}
		if file := troubleFile(&t); p.tapes[file] != "" && len(t.Tape) > 0 && !shown[file] {
			path := p.tapes[file]
			shown[file] = true
			fmt.Fprintf(p.out, "  trace   %[1]s\n  replay  %[2]s replay %[3]s\n", path, p.name, wording.ShellPath(path))
		}
		fmt.Fprintln(p.out)
	}
}

// meaning explains a result.
func (h *session) meaning(o *outcome) string {
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
		return fmt.Sprintf(": it never happened that %s, so the search says nothing about the %s: check that its fault has a budget (--param); %s",
			h.cell.Happenings()[i].Name, h.cell.Noun(), hunt.Vacuous(h.cell.Noun(), o.Schedules, h.more()))
	case string(explore.Inconclusive):
		return ": " + h.inconclusive(o)
	case string(explore.Nondeterministic):
		return ": the same tape gave different runs, so these findings cannot be trusted; see simrun doctor"
	}
	return ""
}

// noneFound returns which schedules showed nothing.
func (h *session) noneFound(o *outcome) string {
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

// more returns how to search more.
func (h *session) more() string {
	if h.id.Kind == checkKind {
		return "raise the bound (--bound)"
	}
	return "run more schedules (--runs)"
}

// inconclusive returns why no statement can be made.
func (h *session) inconclusive(o *outcome) string {
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
