package story

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// AttributionSentence returns a paragraph on what the counterexample needs, and which remedies prevent it: "Needs: n1
// crashes at 0.00126s. Gone with WAIT for one follower: not violated in 513 schedules, among them all with at most 2
// deviations."
//
// Each deviation was left out alone. Of two that are not needed, each may replace the other. For a counterexample that
// needs many it explains why, by how it was shrunk (nil if it was not).
func AttributionSentence(a *traces.Attribution, shrunk *traces.Shrunk) string {
	needed, needless, left := splitDeviations(a)
	if left > 0 {
		needless = append(needless, LeftOut(left))
	}
	parts := []string{"Needs: " + clauses(needed) + "."}
	switch {
	case len(a.Deviations) == 0:
		parts[0] = NeedsNothing
	case len(needed) == 0:
		parts = nil
	}
	if many := ManyNeeds(a, shrunk); many != "" {
		parts = append(parts, many)
	}
	switch len(needless) {
	case 0:
	case 1:
		parts = append(parts, "Not needed: "+needless[0]+".")
	default:
		parts = append(parts, "Not needed, each by itself: "+strings.Join(needless, "; ")+".")
	}
	if untried := UntriedText(a); untried != "" {
		parts = append(parts, untried)
	}
	var vain []string
	for i := range a.Remedies {
		switch r := &a.Remedies[i]; {
		case r.Gone:
			parts = append(parts, "Gone with "+wording.Printable(r.Text)+": "+RemedyResult(r)+".")
		case r.Trouble == "" && r.Except == "":
			vain = append(vain, wording.Printable(r.Text))
		}
	}
	if len(vain) > 0 {
		parts = append(parts, "Not helped by "+wording.Or(vain)+".")
	}
	for i := range a.Remedies {
		switch r := &a.Remedies[i]; {
		case r.Except != "":
			parts = append(parts, "Does not apply: "+wording.Printable(r.Text)+" ("+clause(r.Except)+").")
		case !r.Gone && r.Trouble != "":
			parts = append(parts, "Unknown for "+wording.Printable(r.Text)+": "+remedyTrouble(r)+".")
		}
	}
	return strings.Join(parts, " ")
}

// clauses joins parts of a sentence that may have commas themselves: "a; b; and c".
func clauses(texts []string) string {
	last := max(0, len(texts)-1)
	joined := strings.Join(texts[:last], "; ")
	if last > 0 {
		joined += "; and "
	}
	return joined + strings.Join(texts[last:], "")
}

// NeedsNothing is the text for a counterexample without deviations.
const NeedsNothing = "Needs nothing: the property is violated in the calm run."

const (
	// maxNeedless is the maximum number of listed deviations that are not needed.
	maxNeedless = 8
	// maxNeeds is the maximum number of listed needed deviations. If there are more, the slightly slow segments are listed as
	// one.
	maxNeeds = 7
)

// ShownDeviations returns the listed deviations, in order: those that are needed and the first
// of the others. Left is the number of omitted ones.
func ShownDeviations(a *traces.Attribution) (list []*traces.Deviation, left int) {
	many, needless := neededOf(a) > maxNeeds, 0
	if many {
		list = gatheredNeeds(a)
	}
	for i := range a.Deviations {
		d := &a.Deviations[i]
		if d.Untried || many && d.Needed {
			continue
		}
		if !d.Needed {
			if needless++; needless > maxNeedless {
				left++
				continue
			}
		}
		list = append(list, d)
	}
	return list, left
}

// neededOf returns the number of needed deviations.
func neededOf(a *traces.Attribution) (n int) {
	for i := range a.Deviations {
		n += count01(a.Deviations[i].Needed)
	}
	return n
}

// gatheredNeeds condenses many needed deviations: first those that are no slow segments, faults before orders; then how
// many more there are; and last all slow segments as one.
func gatheredNeeds(a *traces.Attribution) (list []*traces.Deviation) {
	var slow, orders []*traces.Deviation
	for i := range a.Deviations {
		switch d := &a.Deviations[i]; {
		case !d.Needed:
		case strings.HasPrefix(d.Decision, string(sim.Latency)+"/"):
			slow = append(slow, d)
		case strings.HasPrefix(d.Decision, string(sim.Order)+"/"):
			orders = append(orders, d)
		default:
			list = append(list, d)
		}
	}
	list = append(list, orders...)
	room := maxNeeds - count01(len(slow) > 0)
	if more := len(list) - room + 1; more > 1 {
		list = append(list[:room-1:room-1], &traces.Deviation{Needed: true, Text: strconv.Itoa(more) + " more faults and orders"})
	}
	if len(slow) == 0 {
		return list
	}
	slowest := slices.MaxFunc(slow, func(a, b *traces.Deviation) int { return cmp.Compare(a.Option, b.Option) })
	text := wording.Count(len(slow), "segment") + wording.Form(len(slow), " is", " are") + " slow"
	if _, by, found := strings.Cut(slowest.Text, " is slow by "); found {
		by, _, _ = strings.Cut(by, " (") // cut off a remark on the run without it
		text += ", by " + by + " at most"
	}
	return append(list, &traces.Deviation{Needed: true, Text: text})
}

// Needed returns the deviations that a counterexample needs, each in a few words.
func Needed(a *traces.Attribution) []string {
	needed, _, _ := splitDeviations(a)
	return needed
}

// ManyNeeds returns a text for a counterexample that needs more deviations than a reader can follow, with the reason why
// it was not made smaller; "" for others. Shrunk is nil if it was not shrunk.
func ManyNeeds(a *traces.Attribution, shrunk *traces.Shrunk) string {
	n := neededOf(a)
	if n <= maxNeeds {
		return ""
	}
	text := "It needs " + wording.Count(n, "deviation") + " together, which is no explanation: "
	switch {
	case shrunk == nil:
		return text + "it was not shrunk."
	case shrunk.Exhausted:
		return text + "the budget for shrinking ended before everything was tried."
	}
	return text + "without any one of them the run takes another course, and no smaller counterexample was found near it."
}

// LeftOut describes how many deviations are omitted.
func LeftOut(n int) string {
	return "and " + strconv.Itoa(n) + " more, none of which is needed by itself"
}

// UntriedText returns how many deviations may or may not be needed; "" if there are none.
func UntriedText(a *traces.Attribution) string {
	n := 0
	for i := range a.Deviations {
		if a.Deviations[i].Untried {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return "The budget ended before " + wording.Count(n, "more deviation") + " could be tried without."
}

// splitDeviations returns the texts of the needed deviations and of the others, and the number
// of omitted ones.
func splitDeviations(a *traces.Attribution) (needed, needless []string, left int) {
	shown, left := ShownDeviations(a)
	for _, d := range shown {
		if d.Needed {
			needed = append(needed, wording.Printable(d.Text))
		} else {
			needless = append(needless, wording.Printable(d.Text))
		}
	}
	return needed, needless, left
}

// DeviationMark returns a mark for whether a deviation is needed.
func DeviationMark(d *traces.Deviation) string {
	if d.Needed {
		return "●"
	}
	return "○"
}

// DeviationText returns a text for whether a deviation is needed.
func DeviationText(d *traces.Deviation) string {
	if d.Needed {
		return "needed"
	}
	return "not needed"
}

// RemedyMark returns a mark for whether a remedy helped, so that the text does not rely on colour.
func RemedyMark(r *traces.Remedy) string {
	switch {
	case r.Except != "":
		return "–"
	case r.Gone:
		return "✓"
	case r.Trouble != "":
		return "?"
	}
	return "✗"
}

// RemedyResult returns the result of the search with a remedy. It claims no more than was run:
// no finding is no proof.
func RemedyResult(r *traces.Remedy) string {
	if r.Except != "" {
		return "does not apply: " + clause(r.Except)
	}
	if !r.Gone && r.Trouble != "" {
		return "unknown: " + remedyTrouble(r)
	}
	if !r.Gone {
		return "still violated"
	}
	text := "not violated in " + wording.Count(r.Schedules, "schedule")
	switch {
	case r.Bound == 0:
		text += ", among them the calm one"
	case r.Bound > 0:
		text += ", among them all with at most " + wording.Count(r.Bound, "deviation")
	}
	if r.Trouble != "" {
		text += "; then: " + remedyTrouble(r)
	}
	if r.Note != "" {
		text += "; " + clause(r.Note)
	}
	return text
}

// remedyTrouble returns why a search did not finish, as part of a sentence.
func remedyTrouble(r *traces.Remedy) string { return clause(r.Trouble) }

// clause turns a sentence of a trace into a part of another sentence.
func clause(text string) string {
	return strings.TrimSuffix(wording.Fit(wording.Printable(text), 200), ".")
}

// parametersBefore returns the parameters of the search that differ from those of the trace.
func parametersBefore(s *traces.Shrunk, t *traces.Trace) []string {
	now := map[traces.Parameter]bool{}
	for _, p := range t.Parameters {
		now[p] = true
	}
	var others []traces.Parameter
	for _, p := range s.Parameters {
		if !now[p] {
			others = append(others, p)
		}
	}
	return Parameters(others)
}
