package story

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// MaxSteps is the maximum number of steps of a shown run, unless more of them decided the verdict.
const MaxSteps = 14

// slow is the duration from which something is shown as two steps, its beginning and its end. A round trip takes a few
// milliseconds at most.
const slow = 100 * time.Millisecond

// Step is one step of a run that matters for its verdict.
type Step struct {
	Seq   int64
	At    time.Duration
	Actor string
	// Text continues a sentence that begins with Actor: "acquires the lock". Keys, values
	// and errors in it are shortened and printable.
	Text string
	// Violating is set on the one step with which the property is broken.
	Violating bool
	// Decides is set on steps that decided the verdict. They are never left out.
	Decides bool
	// Again is how often its actor repeats it, until Until, before anything else happens. Text has that.
	Again int
	Until time.Duration

	Weight  int
	printed bool // it is a printed line
}

// chooser chooses the steps of a story.
type chooser struct {
	*Plot
	left int // the number of steps that are not shown
	// again are, by the event of a step, the times at which its actor repeated it.
	again map[int64][]model.Stamp
}

// candidate is a step that may be shown.
type candidate struct {
	Step
	weight int
	// since is the call of the operation whose return the step shows; 0 if there is none.
	since int64
	// needs is the step without which this one would mislead; 0 if there is none.
	needs int64
	// harm is set if the step itself does damage, no matter which client held the lock.
	harm bool
	// again are the times at which its actor repeats it.
	again []model.Stamp
}

// The weights of candidates: essential, helpful, minor. Above MaxSteps the
// lightest are dropped first.
const (
	minor    = 3
	helpful  = 6
	major    = 9
	decisive = 100
)

// choose chooses among the candidates and marks the violating one.
func (s *chooser) choose() []Step {
	all := s.candidates()
	all = folded(s.citeSteps(s.markViolation(all)))
	focus := int64(0)
	if s.Verdict != nil {
		focus = s.Verdict.From.Seq
	}
	distance := func(c candidate) int64 { return max(c.Seq-focus, focus-c.Seq) }
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(distance(a), distance(b)))
	})
	s.left = len(all)
	all = heaviest(all)
	s.left -= len(all)
	slices.SortStableFunc(all, byTime)
	steps := make([]Step, len(all))
	for i, c := range all {
		steps[i] = c.Step
		steps[i].Decides, steps[i].Weight = c.weight >= decisive, c.weight
		if n := len(c.again); n > 0 {
			steps[i].Again, steps[i].Until = n, c.again[n-1].At
			steps[i].Text += steps[i].UntilText()
			s.again[steps[i].Seq] = c.again
		}
	}
	return steps
}

// byTime compares the times of steps. The end of a lease is no event, so the order of events does not suffice.
func byTime(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq))
}

// leastFolded is the smallest number of equal steps that are shown as one.
const leastFolded = 3

// folded merges steps that an actor repeats, such as time-outs, while nothing else happens except that others do the same.
// Steps that decide the verdict are not merged.
func folded(all []candidate) []candidate {
	slices.SortStableFunc(all, byTime)
	var kept []candidate
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Text == all[0].Text && max(all[n].weight, all[0].weight) < decisive {
			n++
		}
		kept, all = append(kept, foldedRun(all[:n])...), all[n:]
	}
	return kept
}

// foldedRun folds steps of one text.
func foldedRun(run []candidate) (kept []candidate) {
	count := map[string]int{}
	for i := range run {
		count[run[i].Actor]++
	}
	for _, c := range run {
		first := slices.IndexFunc(kept, func(k candidate) bool { return k.Actor == c.Actor })
		if first < 0 || count[c.Actor] < leastFolded {
			kept = append(kept, c)
			continue
		}
		kept[first].again = append(kept[first].again, model.Stamp{Seq: c.Seq, At: c.At})
	}
	return kept
}

// UntilText returns the end of the text of a step that is repeated.
func (s *Step) UntilText() string { return ", and " + s.RepeatText() }

// RepeatText describes how often a step is repeated.
func (s *Step) RepeatText() string {
	return fmt.Sprintf("%s more until %s", wording.Count(s.Again, "time"), traces.Seconds(s.Until, 4))
}

// heaviest keeps the first MaxSteps and all decisive steps, and each only with the step that it needs.
func heaviest(all []candidate) []candidate {
	for {
		deciding := len(all)
		if i := slices.IndexFunc(all, func(c candidate) bool { return c.weight < decisive }); i >= 0 {
			deciding = i
		}
		chosen := all[:min(len(all), max(MaxSteps, deciding))]
		lacking := slices.IndexFunc(chosen, func(c candidate) bool {
			return c.needs != 0 && c.weight < decisive && !slices.ContainsFunc(chosen, func(o candidate) bool { return o.Seq == c.needs })
		})
		if lacking < 0 {
			return chosen
		}
		needed := all[lacking].needs
		all = slices.Delete(all, lacking, lacking+1)
		all = slices.DeleteFunc(all, func(c candidate) bool { return c.Seq == needed })
	}
}

// candidates returns all steps that may be shown.
func (s *chooser) candidates() []candidate {
	var all []candidate
	lock, records, world := lockSteps{s.Plot}, recordSteps{s.Plot}, worldSteps{s.Plot}
	for _, id := range s.Acquisitions {
		all = append(all, lock.acquireSteps(s.Trace.History.Operation(id))...)
	}
	for i := range s.Trace.History.Operations {
		if o := &s.Trace.History.Operations[i]; s.Concerns(o.ID) {
			all = append(all, lock.operationSteps(o)...)
		}
	}
	for i := range s.Trace.History.Observations {
		o := &s.Trace.History.Observations[i]
		all = append(all, records.keySteps(o)...)
		if s.from <= o.Seq && o.Seq <= s.to {
			all = append(all, records.recordSteps(o)...)
		}
		all = append(all, resourceSteps{s.Plot}.resourceSteps(o)...)
		clock := o.Kind == model.ClockOff || o.Kind == model.ClockJumped // a wrong clock lasts
		if (s.from <= o.Seq || clock) && o.Seq <= s.to {
			all = append(all, world.worldSteps(o)...)
		}
	}
	network, decided := networkSteps{s.Plot}, decidedSteps{s.Plot}
	all = append(all, network.partingSteps()...)
	all = append(all, noteSteps{s.Plot}.noteSteps()...)
	all = append(all, lock.claimSteps()...)
	all = append(all, decided.decidedSteps()...)
	all = append(all, network.networkSteps(all)...)
	all = append(all, network.repeatSteps()...)
	decided.keepHolders(all)
	return append(all, betweenSteps{s.Plot}.betweenSteps(all)...)
}

// markViolation marks the violating step: one that does harm, or else the one at or during which the property breaks. It
// adds a step if there is none.
func (s *chooser) markViolation(all []candidate) []candidate {
	if s.Verdict == nil || s.Verdict.Status != model.Violated {
		return all
	}
	best := s.harmStep(all)
	at := s.breaks()
	for i, c := range all {
		if best < 0 && at.Happened() && c.Seq == at.Seq {
			best = i
		}
	}
	for i, c := range all {
		if best < 0 && at.Happened() && c.since != 0 && c.since <= at.Seq && at.Seq <= c.Seq {
			best = i
		}
	}
	if best < 0 && at.Happened() {
		all = append(all, step(at, s.culprit(), s.firstMoment(), decisive))
		best = len(all) - 1
	}
	if best >= 0 {
		all[best].Violating = true
		all[best].weight = decisive
	}
	return all
}

// harmStep returns the index of the violating harmful step in the window, if the property is about harm; or -1.
func (s *chooser) harmStep(all []candidate) int {
	best := -1
	from, to := s.Verdict.From, s.Verdict.To
	for i, c := range all {
		inside := from.Seq <= c.Seq && c.Seq <= max(from.Seq, to.Seq) || !from.Happened()
		switch {
		case !c.harm || !inside || s.Broken.Harm == model.NoHarm:
		case best < 0, (c.Seq < all[best].Seq) != (s.Broken.Harm == model.LastHarm):
			best = i
		}
	}
	return best
}

// breaks returns where the property breaks, by its description.
func (s *chooser) breaks() model.Stamp {
	v := s.Verdict
	if !v.To.Happened() {
		return v.From
	}
	begins := func(c Claim) bool { return c.From == v.To }
	switch s.Broken.Breaks {
	case model.AtEnd:
		return v.To
	case model.AtClaim:
		if slices.ContainsFunc(s.Claims, begins) {
			return v.To
		}
	}
	return v.From
}

// firstMoment describes the moment at which the property breaks, if no actor does anything then.
func (s *chooser) firstMoment() string {
	return cmp.Or(s.Broken.Moment, "from here on: "+s.Broken.Window)
}

// culprit returns the actor of a violation between steps: the client of the last operation that the verdict names.
func (s *chooser) culprit() string {
	if n := len(s.Verdict.Operations); n > 0 {
		return s.Trace.History.Operation(s.Verdict.Operations[n-1]).Client
	}
	if len(s.Clients) > 0 {
		return s.Clients[len(s.Clients)-1]
	}
	return "run"
}

// step returns a candidate at a stamp.
func step(at model.Stamp, actor, text string, weight int) candidate {
	return candidate{Step: Step{Seq: at.Seq, At: at.At, Actor: actor, Text: text}, weight: weight}
}

// omittedSteps describes how many steps are not shown, and which acquisitions were not considered; it is empty if there
// are none.
func (s *chooser) omittedSteps(steps []Step) string {
	var parts []string
	if s.left > 0 {
		first := "those that weigh most, the earliest first"
		if s.Verdict != nil {
			first = "those that weigh most, and of those the nearest to the violation"
		}
		parts = append(parts, fmt.Sprintf("%d of %d steps are shown: %s.", len(steps), len(steps)+s.left, first))
	}
	if s.unlooked > 0 {
		parts = append(parts, fmt.Sprintf("They are of the first %d acquisitions, of %d.", len(s.Acquisitions), len(s.Acquisitions)+s.unlooked))
	}
	return strings.Join(parts, " ")
}

// UntilViolated returns the steps up to the one that violates the property, all of them if none does.
func UntilViolated(steps []Step) []Step {
	if i := slices.IndexFunc(steps, func(s Step) bool { return s.Violating }); i >= 0 {
		return steps[:i+1]
	}
	return steps
}

// StepActor returns the actor of a step, clipped to the width of a column.
func StepActor(s Step) string { return wording.Fit(wording.Printable(s.Actor), 16) }

// StepDecimals returns the number of decimals that distinguish the times of the steps.
func StepDecimals(steps []Step) int {
	const least, most = 4, 9
	for n := least; n < most; n++ {
		distinct := true
		for i := 1; i < len(steps); i++ {
			a, b := steps[i-1].At, steps[i].At
			if b-a >= time.Microsecond && traces.Seconds(a, n) == traces.Seconds(b, n) {
				distinct = false
			}
		}
		if distinct {
			return n
		}
	}
	return most
}

// trueFirst compares two values for a sort that puts true before false.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
