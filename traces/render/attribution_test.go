package render

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
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

// TestExceptedRemedy: what does not apply is neither helpful nor in vain.
func TestExceptedRemedy(t *testing.T) {
	trace := sampletraces.Attributed()
	trace.Attribution.Remedies = []traces.Remedy{{Text: "an odd lock", Bound: -1, Except: "It has no end."}}
	var text bytes.Buffer
	if err := Explain(&text, trace, Style{}); err != nil {
		t.Fatal(err)
	}
	if want := "– an odd lock  does not apply: It has no end\n"; !strings.Contains(text.String(), want) {
		t.Errorf("it does not say %q:\n%s", want, &text)
	}
	trace.Attribution.Remedies[0].Schedules = 3
	if err := sound(trace); err == nil || !strings.Contains(err.Error(), "has not been searched") {
		t.Errorf("a remedy that does not apply was searched: %v", err)
	}
}

// None found is none found: nothing may be told that says more.
func TestAttributionPromisesNothing(t *testing.T) {
	trace := sampletraces.Attributed()
	var text bytes.Buffer
	if err := Explain(&text, trace, Style{}); err != nil {
		t.Fatal(err)
	}
	for _, told := range []string{AttributionSentence(trace.Attribution, nil), text.String(), between(t, view(t, trace), `<div class="why">`, "</div>")} {
		for _, word := range []string{"fixed", "verified", "proven", "safe", "prevents", "impossible"} {
			if strings.Contains(told, word) {
				t.Errorf("%q is promised in\n%s", word, told)
			}
		}
		if !strings.Contains(strings.Join(strings.Fields(told), " "), "not violated in 512 schedules, among them all with at most 1 deviation") {
			t.Errorf("what was run is not told in\n%s", told)
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

func TestViewAttribution(t *testing.T) {
	trace := sampletraces.Attributed()
	page := view(t, trace)
	golden.File(t, "testdata/attributed.card.html", `<div class="why">`+between(t, page, `<div class="why">`, "</div>")+"</div>\n")
	facts := between(t, page, `<dl class="facts">`, "</dl>")
	for _, want := range []string{"schedule 17 of seed 42, strategy portfolio", "from 66 deviations to 3, in 378 runs; found with rounds=2"} {
		if !strings.Contains(facts, want) {
			t.Errorf("no %q in %s", want, facts)
		}
	}
	overview := between(t, page, `<svg id="overview"`, "</svg>")
	if n := strings.Count(overview, `class="ring"`); n != 2 {
		t.Errorf("%d rings, want one for each deviation that is needed", n)
	}
	if !strings.Contains(page, "the counterexample needs this</li>") {
		t.Error("the legend does not explain the rings")
	}
	plain := view(t, sampletraces.FailoverLoss())
	for _, without := range []string{`class="why"`, `class="ring"`, "shrunk"} {
		if strings.Contains(plain, without) {
			t.Errorf("a trace without attribution has %q", without)
		}
	}
}

// A deviation may show in what is no lane of the picture.
func TestViewAttributionOutsideOfLanes(t *testing.T) {
	trace := sampletraces.Attributed()
	for i := range trace.Events {
		if e := &trace.Events[i]; e.Seq == trace.Attribution.Deviations[2].Seq {
			e.Actor = "resets"
		}
	}
	if n := strings.Count(between(t, view(t, trace), `<svg id="overview"`, "</svg>"), `class="ring"`); n != 1 {
		t.Errorf("%d rings, want 1", n)
	}
}

func TestViewWithoutDeviations(t *testing.T) {
	trace := sampletraces.FailoverLoss()
	trace.Attribution = &traces.Attribution{}
	page := view(t, trace)
	if !strings.Contains(page, "Needs nothing: the property is violated in the calm run.") || strings.Contains(page, "What would have helped") {
		t.Error("a calm counterexample is not told as one")
	}
}
