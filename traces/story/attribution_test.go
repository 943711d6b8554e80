package story

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/traces"
)

func TestAttributionSentence(t *testing.T) {
	deviations := func(needed ...bool) []traces.Deviation {
		var list []traces.Deviation
		for i, n := range needed {
			list = append(list, traces.Deviation{Text: string(rune('A' + i)), Needed: n})
		}
		return list
	}
	gone := traces.Remedy{Text: "R", Gone: true, Schedules: 512, Bound: 1}
	vain := func(text string) traces.Remedy { return traces.Remedy{Text: text, Schedules: 3, Bound: -1} }
	for _, c := range []struct {
		a    traces.Attribution
		want string
	}{
		{traces.Attribution{}, "Needs nothing: the property is violated in the calm run."},
		{traces.Attribution{Deviations: deviations(true)}, "Needs: A."},
		{traces.Attribution{Deviations: deviations(true, true)}, "Needs: A; and B."},
		{traces.Attribution{Deviations: deviations(true, true, true)}, "Needs: A; B; and C."},
		{traces.Attribution{Deviations: deviations(true, false)}, "Needs: A. Not needed: B."},
		{traces.Attribution{Deviations: deviations(false)}, "Not needed: A."},
		{traces.Attribution{Deviations: deviations(false, true, false)}, "Needs: B. Not needed, each by itself: A; C."},
		{
			traces.Attribution{Deviations: deviations(make([]bool, 11)...)},
			"Not needed, each by itself: A; B; C; D; E; F; G; H; and 3 more, none of which is needed by itself.",
		},
		{
			traces.Attribution{Deviations: deviations(true), Remedies: []traces.Remedy{vain("V"), gone, vain("W"), vain("X")}},
			"Needs: A. Gone with R: not violated in 512 schedules, among them all with at most 1 deviation. Not helped by V, W or X.",
		},
		{
			traces.Attribution{Deviations: deviations(true), Remedies: []traces.Remedy{{Text: "R", Gone: true, Schedules: 1, Bound: 0}, vain("V")}},
			"Needs: A. Gone with R: not violated in 1 schedule, among them the calm one. Not helped by V.",
		},
		{
			traces.Attribution{Deviations: deviations(true), Remedies: []traces.Remedy{{Text: "R", Gone: true, Schedules: 40, Bound: -1}}},
			"Needs: A. Gone with R: not violated in 40 schedules.",
		},
		{
			traces.Attribution{Deviations: deviations(true), Remedies: []traces.Remedy{{Text: "R", Gone: true, Schedules: 40, Bound: 2}}},
			"Needs: A. Gone with R: not violated in 40 schedules, among them all with at most 2 deviations.",
		},
		{
			traces.Attribution{Deviations: deviations(true), Remedies: []traces.Remedy{{Text: "T", Bound: -1, Trouble: "it stalls."}}},
			"Needs: A. Unknown for T: it stalls.",
		},
		{
			traces.Attribution{Deviations: deviations(true), Remedies: []traces.Remedy{{Text: "E", Bound: -1, Except: "It has no end."}, vain("V")}},
			"Needs: A. Not helped by V. Does not apply: E (It has no end).",
		},
		{
			traces.Attribution{Deviations: deviations(true), Remedies: []traces.Remedy{{Text: "R", Gone: true, Schedules: 40, Bound: -1, Note: "it outlasts all."}}},
			"Needs: A. Gone with R: not violated in 40 schedules; it outlasts all.",
		},
	} {
		if got := AttributionSentence(&c.a, nil); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestManyNeeds: of up to seven needed deviations each is told; of more at most seven texts, faults first and
// slow segments together, and why there are so many.
func TestManyNeeds(t *testing.T) {
	needs := func(faults, orders, slow int) *traces.Attribution {
		a := &traces.Attribution{}
		add := func(decision, text string, option int) {
			a.Deviations = append(a.Deviations, traces.Deviation{Decision: decision, Text: text, Option: option, Needed: true})
		}
		for i := range slow {
			add("latency/c1#1", fmt.Sprintf("S is slow by %dµs", i), i)
		}
		for range orders {
			add("order/c1#1", "O", 1)
		}
		for range faults {
			add("fault:pause/c1#1", "F", 1)
		}
		return a
	}
	for _, test := range []struct {
		a      *traces.Attribution
		shrunk *traces.Shrunk
		needs  string
		why    string
	}{
		{needs(1, 1, 5), nil, "S is slow by 0µs|S is slow by 1µs|S is slow by 2µs|S is slow by 3µs|S is slow by 4µs|O|F", ""},
		{needs(1, 1, 20), nil, "F|O|20 segments are slow, by 19µs at most", "It needs 22 deviations together, which is no explanation: it was not shrunk."},
		{needs(1, 7, 0), &traces.Shrunk{Exhausted: true}, "F|O|O|O|O|O|2 more faults and orders",
			"It needs 8 deviations together, which is no explanation: the budget for shrinking ended before everything was tried."},
		{needs(5, 1, 2), &traces.Shrunk{}, "F|F|F|F|F|O|2 segments are slow, by 1µs at most",
			"It needs 8 deviations together, which is no explanation: without any one of them the run takes another course, and no smaller counterexample was found near it."},
		{needs(6, 1, 1), &traces.Shrunk{Exhausted: true}, "F|F|F|F|F|2 more faults and orders|1 segment is slow, by 0µs at most",
			"It needs 8 deviations together, which is no explanation: the budget for shrinking ended before everything was tried."},
	} {
		if got := strings.Join(Needed(test.a), "|"); got != test.needs {
			t.Errorf("got  %s\nwant %s", got, test.needs)
		}
		if got := ManyNeeds(test.a, test.shrunk); got != test.why || !strings.Contains(AttributionSentence(test.a, test.shrunk), test.why) {
			t.Errorf("got  %s\nwant %s", got, test.why)
		}
	}
}

func TestShrunkText(t *testing.T) {
	for _, c := range []struct {
		s    traces.Shrunk
		want string
	}{
		{traces.Shrunk{From: 66, To: 2, Runs: 378}, "from 66 deviations to 2, in 378 runs"},
		{traces.Shrunk{From: 1, To: 1, Runs: 1}, "from 1 deviation to 1, in 1 run"},
		{traces.Shrunk{From: 66, To: 9, Runs: 3000, Exhausted: true}, "from 66 deviations to 9, in 3000 runs; the budget ended it, and there was more to try"},
	} {
		if got := shrunkText(&c.s); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
