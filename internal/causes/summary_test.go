package causes

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// told is a summary with the given failures.
func told(f *Findings, list ...*Failure) string {
	for _, one := range list {
		f.Searched = append(f.Searched, one.Scenario)
	}
	f.Add(list)
	return f.Summary("mylock", f.Stories(), "go test", "")
}

// inFull is a trace as a summary tells it in full.
func inFull(t *traces.Trace) string {
	wrong, steps := render.Brief(t)
	return strings.Join(append(wrong, steps...), "\n")
}

// TestSummary: each cause is told once, the first in full, with the command before its steps.
func TestSummary(t *testing.T) {
	one := violated("gc-pause", 1, removed)
	one.Verdicts[0].Sentence = "c2 removed the lock of c1."
	one.Attribution = &traces.Attribution{Deviations: []traces.Deviation{{Text: "c1 is paused", Needed: true}, {Text: "a delay"}, {Text: "c2 is late", Needed: true}}}
	limit := violated("storm", 2, stopped)
	limit.Attribution = &traces.Attribution{}
	crash := &explore.Trouble{Kind: explore.Crashed, Reason: "panic: on purpose", Stack: "goroutine 1:\nmain.go:1", Tape: one.Tape, Schedule: 7}
	f := &Findings{
		Limit:    "a limit of leases, not a fault of the lock: it fails because of locktest.Strict",
		Expected: []*traces.Trace{violated("cancel", 0, orphan)}, NotSearched: []string{"a clock: it goes by the time", "another clock: why"},
		Limits: []*traces.Trace{violated("a", 1, stopped), violated("b", 1, stopped)},
	}
	list := []*Failure{
		Violates(one, all), Violates(violated("holder-crash", 2, removed), all), Violates(violated("partition", 2, twoHold), all),
		Violates(limit, all), Unfinished("hung-node", nil, crash),
	}
	list[0].Path, list[4].Path = "kept.json", "tape.json"
	want := strings.Join([]string{
		"crashed: panic: on purpose: in 1 of 5 scenarios, hung-node; and 2 other causes",
		"not searched: a clock: it goes by the time", "not searched: another clock: why",
		"crashed: mylock under hung-node, in schedule 7", "",
		"  panic: on purpose",
		"  replay  go test", "",
		"    goroutine 1:", "    main.go:1", "",
		"What to do: " + Advice(crash),
		"  tape    1 decision, in tape.json", "",
		inFull(one),
		"  needs   c1 is paused; c2 is late",
		"  also    in holder-crash",
		"  trace   kept.json", "",
		strings.Join(story.Outline(list[2].Trace), "\n"),
		strings.Join(story.Outline(limit), "\n"),
		"  needs   nothing: it is violated in the calm run",
		"  note    a limit of leases, not a fault of the lock: it fails because of locktest.Strict", "",
		"limit of leases, not a fault: " + model.CauseOf("holder-stopped").Text + " (mutual-exclusion in a, b)",
		"expected: no-orphan is violated in cancel",
	}, "\n")
	if got := told(f, list...); got != want {
		t.Errorf("it says\n%s\n\nwant\n%s", got, want)
	}
}

// TestLast: a leak is told in full, after what was found, and so are runs that differ.
func TestLast(t *testing.T) {
	for _, last := range []*explore.Trouble{
		{Kind: explore.Crashed, Leaked: true, Reason: "the run left goroutines behind", Stack: "goroutine 1:"},
		{Kind: explore.Nondeterministic, Reason: "two runs of one tape differ"},
	} {
		f := &Findings{Limits: []*traces.Trace{violated("a", 1, stopped)}}
		text := told(f, Unfinished("a", nil, last), Violates(violated("b", 1, removed), all), Violates(violated("c", 1, orphan), all))
		at := 0
		for _, want := range []string{"removed", "is violated", "\n" + string(last.Kind) + ": mylock under a", last.Stack, "What to do: " + Advice(last), "\nlimit of leases"} {
			next := strings.Index(text[at:], want)
			if next < 0 {
				t.Fatalf("%s: no %q behind the others:\n%s", last.Kind, want, text)
			}
			at += next
		}
	}
}

// TestWhatIsWrongFirst: five lines say what is wrong and how it is shown again, and the steps follow.
func TestWhatIsWrongFirst(t *testing.T) {
	one, err := traces.ReadFile("../../traces/corpus/late-request_setpx-twostep_owner-only-release.json")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(told(&Findings{}, Violates(one, all)), "\n")
	for i, begin := range []string{
		"a request of another removed or overwrote the live lock: in 1 of 1 scenario, late-request",
		"owner-only-release is violated: setpx-twostep under late-request",
		"  The rule: Nobody removes a live lock that is not its own.",
		"  " + one.Verdict().Sentence,
		"  replay  go test",
		"What happened",
		"  0.0000s  ",
	} {
		if !strings.HasPrefix(lines[i], begin) {
			t.Errorf("line %d is %q, want %q", i+1, lines[i], begin)
		}
	}
}

// TestNote: a note stands with its story, and a path that it has is not told again.
func TestNote(t *testing.T) {
	first := Violates(violated("a", 0, removed), all)
	second := Violates(violated("b", 1, heardLate), all)
	second.Path, second.Note = "kept.json", "the kept case kept.json was tried first"
	text := told(&Findings{}, first, second)
	if strings.Count(text, "kept.json") != 1 || !strings.Contains(text, "  note    "+second.Note) {
		t.Errorf("it says\n%s", text)
	}
}

// TestOtherCauses: each fault of a run that has a cause of its own has a sentence, and what follows
// from one is named.
func TestOtherCauses(t *testing.T) {
	said := map[string]string{removed: "c1 removed the lock of c2.", twoHold: "c2 and c3 both held it.", liedTo: "c1 was told a lie.", stopped: "c1 was stopped.", lost: "an update was lost."}
	for _, test := range []struct {
		violations string
		strict     bool
		want       []string
	}{
		{removed + " " + twoHold, false, []string{"also    mutual-exclusion"}},
		{liedTo + " " + removed + " " + twoHold, false, []string{"besides truthful-release: c1 was told a lie.", "also    mutual-exclusion"}},
		{removed + " " + stopped, false, nil},
		{removed + " " + stopped, true, []string{"also    mutual-exclusion"}}, // a limit has no sentence beside a fault
	} {
		run := violated("a", 1, strings.Fields(test.violations)...)
		for i := range run.Verdicts {
			v := &run.Verdicts[i]
			v.Sentence = said[v.Property+"/"+v.Cause]
		}
		fails := onlyFaults
		if test.strict {
			fails = all
		}
		var list []*Failure
		for _, v := range Failing(run, fails) {
			of := *run
			of.Property, of.Limit = v.Property, v.Limit
			list = append(list, Violates(&of, fails))
		}
		var got []string
		for _, line := range strings.Split(told(&Findings{}, list...), "\n") {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "besides ") || strings.HasPrefix(line, "also ") {
				got = append(got, line)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.violations, got, test.want)
		}
	}
}

// TestManyScenarios: of many scenarios a few are named.
func TestManyScenarios(t *testing.T) {
	for names, want := range map[string]string{"a b": "a, b", "a b c d": "a, b, c, d", "a b c d e": "a, b, c and 2 more"} {
		if got := few(strings.Fields(names)); got != want {
			t.Errorf("%s: %q, want %q", names, got, want)
		}
	}
}

// TestNotSearched: what no schedule can show is said also where nothing was found, and is named
// in short behind a verdict.
func TestNotSearched(t *testing.T) {
	for _, test := range []struct {
		list           []string
		headline, name string
	}{
		{nil, "no fault was found", ""},
		{[]string{"a clock: nobody reads it"}, "no fault was found\nnot searched: a clock: nobody reads it", "not searched: a clock"},
		{[]string{"a clock: why", "a clock: once more", "a disk: why"}, "no fault was found\nnot searched: a clock: why\nnot searched: a clock: once more\nnot searched: a disk: why", "not searched: a clock and a disk"},
	} {
		f := &Findings{NotSearched: test.list}
		if got := f.Headline(nil); got != test.headline {
			t.Errorf("%q, want %q", got, test.headline)
		}
		if got := Unsearched(test.list); got != test.name {
			t.Errorf("%q, want %q", got, test.name)
		}
	}
}
