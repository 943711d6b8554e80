package diff

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// diffText is what is said of two traces.
func diffText(t *testing.T, a, b *traces.Trace) string {
	t.Helper()
	var out bytes.Buffer
	if err := Text(&out, pair(a, b), false); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// diffPageOf is their page.
func diffPageOf(t *testing.T, a, b *traces.Trace) string {
	t.Helper()
	var out bytes.Buffer
	if err := Page(&out, pair(a, b), "simrun diff a.json b.json"); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestDiffText: what is said of two runs, one of which ends where the other has a fault; of two
// that have nothing in common; and of equal ones.
func TestDiffText(t *testing.T) {
	golden.File(t, "../testdata/diff-gc-pause.txt", diffText(t, sampletraces.Named(t, "gc-pause"), sampletraces.Unpaused(t)))
	golden.File(t, "../testdata/diff-others.txt", diffText(t, sampletraces.Named(t, "failover-loss"), sampletraces.Named(t, "calm")))
	golden.File(t, "../testdata/diff-equal.txt", diffText(t, sampletraces.Named(t, "gc-pause"), sampletraces.Named(t, "gc-pause")))
}

// TestDiffPage: the page, but for its style.
func TestDiffPage(t *testing.T) {
	page := diffPageOf(t, sampletraces.Named(t, "gc-pause"), sampletraces.Unpaused(t))
	soundDiff(t, page)
	_, body, _ := strings.Cut(page, "<main>")
	golden.File(t, "../testdata/diff-gc-pause.html", body)
}

// soundDiff fails if a page is not well-formed, has a script or leads elsewhere, or if its policy
// does not admit its style alone.
func soundDiff(t *testing.T, page string) {
	t.Helper()
	_, style, _ := strings.Cut(page, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	if policy := strings.NewReplacer("'", "&#39;", "+", "&#43;").Replace(picture.Policy(style)); !strings.Contains(page, policy) {
		t.Errorf("the page has no %s", policy)
	}
	_, body, _ := strings.Cut(page, "<body")
	_, body, _ = strings.Cut(body, ">")
	body, _, _ = strings.Cut(body, "</body>")
	sampletraces.WellFormed(t, "the page", body)
	tags := regexp.MustCompile(`>[^<]*<`).ReplaceAllString(body, "><")
	for _, bad := range []string{"<script", "<img", "data-", `\sstyle=`, `\son[a-z]+=`, "href=", "src="} {
		if found := regexp.MustCompile(bad).FindString(tags); found != "" {
			t.Errorf("the page has %q", found)
		}
	}
}

// TestDiffScale: both pictures have one scale of time, which begins just before the runs differ,
// and both mark that moment at the same place.
func TestDiffScale(t *testing.T) {
	d := pair(sampletraces.Named(t, "gc-pause"), sampletraces.Unpaused(t))
	page := diffPageOf(t, sampletraces.Named(t, "gc-pause"), sampletraces.Unpaused(t))
	marks := regexp.MustCompile(`class="differs" x1="([0-9.]+)"`).FindAllStringSubmatch(page, -1)
	if len(marks) != 4 || marks[0][1] != marks[1][1] || marks[2][1] != marks[3][1] {
		t.Fatalf("the runs begin to differ at %q", marks)
	}
	w := (comparison{d}).window()
	if at := d.DiffersAt(); w.From >= at || at-w.From > w.Span()/10 || w.To < d.A.Verdict.To.At {
		t.Errorf("the pictures show %v to %v; the runs differ from %v on, and the violation ends at %v", w.From, w.To, at, d.A.Verdict.To.At)
	}
	for _, id := range []string{"fromA", "fromB", "nearA", "nearB"} {
		if n := strings.Count(page, `<svg id="`+id+`"`); n != 1 {
			t.Errorf("%d pictures %s", n, id)
		}
	}
}

// TestDiffEqual: a run is equal to itself, whatever found it, and to no other of the corpus.
func TestDiffEqual(t *testing.T) {
	paths, err := filepath.Glob("../../corpus/*.json")
	if err != nil || len(paths) < 4 {
		t.Fatalf("%d traces, %v", len(paths), err)
	}
	var before *traces.Trace
	for _, path := range paths {
		a, err := traces.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := traces.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b.Seed, b.Schedule, b.Attribution, b.Shrunk = 99, 7, nil, nil
		if text := diffText(t, a, b); !pair(a, b).Equal() || !strings.Contains(text, "the runs are equal: ") {
			t.Errorf("%s differs from itself:\n%s", path, text)
		}
		if before != nil {
			if pair(before, a).Equal() || pair(a, before).Equal() {
				t.Errorf("%s is equal to the one before", path)
			}
			soundDiff(t, diffPageOf(t, before, a))
		}
		before = a
	}
}

// TestDiffFirst: the first event that differs is named, in which run it is, and whatever differs
// about it; what a trace leaves out does not count.
func TestDiffFirst(t *testing.T) {
	change := func(f func(*traces.Trace)) *traces.Trace {
		b := sampletraces.Named(t, "gc-pause")
		f(b)
		return b
	}
	n := int64(len(sampletraces.Named(t, "gc-pause").Events))
	for _, test := range []struct {
		name   string
		b      *traces.Trace
		number int64
		says   string
	}{
		{"the first event", change(func(b *traces.Trace) { b.Events[0].Detail = "x" }), 1, "The first event differs:"},
		{"a later one", change(func(b *traces.Trace) { b.Events[9].Payload = []byte("GET x") }), 10, "All is the same up to event 9, at "},
		{"an end", change(func(b *traces.Trace) { b.Events = b.Events[:n-1] }), n, "B  the run has ended"},
		{"a decision that is called otherwise", change(func(b *traces.Trace) { b.Events[9].Decision = "x" }), 0, "the runs are equal"},
		{"an event that is left out", change(func(b *traces.Trace) { b.Events = append(b.Events[:5:5], b.Events[6:]...) }), 0, "the runs are equal"},
		{"a hash", change(func(b *traces.Trace) { b.Hash = "1234" }), 0, "they differ in events that are left out"},
		{"an observation", change(func(b *traces.Trace) { b.History.Observations[0].Value += "x" }), 0, "What was observed at them differs."},
		{"a verdict", change(func(b *traces.Trace) { b.Verdicts[0].Status = model.Undecided }), 0, "What was judged of them differs."},
		{"a parameter", change(func(b *traces.Trace) { b.Parameters = append(b.Parameters, traces.Parameter{Name: "p", Value: "1"}) }), 0, "parameter p  A unset"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := sampletraces.Named(t, "gc-pause")
			if got := pair(a, test.b).First.Number; got != test.number {
				t.Errorf("event %d, want %d", got, test.number)
			}
			text := diffText(t, a, test.b)
			if !strings.Contains(text, test.says) {
				t.Errorf("it does not say %q:\n%s", test.says, text)
			}
			soundDiff(t, diffPageOf(t, a, test.b))
			if back := diffText(t, test.b, a); (strings.Contains(text, "are equal")) != strings.Contains(back, "are equal") {
				t.Errorf("the other way about:\n%s", back)
			}
		})
	}
}

// leaving is a trace without stretches of its events.
func leaving(t *traces.Trace, gaps ...traces.Gap) *traces.Trace {
	t.Gaps = gaps
	t.Events = slices.DeleteFunc(t.Events, func(e sim.Event) bool { return cutOut(gaps, e.Seq) })
	return t
}

// TestDiffOfGaps: what a trace leaves out is no end of its run, and nothing is said to be the
// same that was not compared. Equal hashes tell of what is left out.
func TestDiffOfGaps(t *testing.T) {
	const where = "gc-pause"
	n := int64(len(sampletraces.Named(t, where).Events))
	whole := func() *traces.Trace { return sampletraces.Named(t, where) }
	other := func(at int64) *traces.Trace { // differs from an event on
		b := sampletraces.Named(t, where)
		for i := at - 1; i < n; i++ {
			b.Events[i].Detail += " otherwise"
		}
		b.Hash = "00000000000000b0"
		return b
	}
	for _, test := range []struct {
		name   string
		a, b   *traces.Trace
		number int64
		says   []string
		not    []string
	}{
		{"an end that is left out", whole(), leaving(whole(), traces.Gap{From: 101, To: n}), 0,
			[]string{"runs are equal: 100 events that both traces have, the hash of all", "The trace leaves out 26 of 126 events: 101 to 126."}, []string{"has ended"}},
		{"disjoint windows of one run", leaving(whole(), traces.Gap{From: 61, To: n}), leaving(whole(), traces.Gap{From: 1, To: 60}), 0,
			[]string{"runs are equal: 0 events that both traces have"}, []string{"has ended"}},
		{"disjoint windows of two runs", leaving(whole(), traces.Gap{From: 61, To: n}), leaving(other(20), traces.Gap{From: 1, To: 60}), 0,
			[]string{"Events 1 to 126 are not comparable: a trace leaves them out. Their hashes differ"}, []string{"has ended", "the runs are equal", "All is the same"}},
		{"a difference behind a gap", leaving(whole(), traces.Gap{From: 50, To: 59}, traces.Gap{From: 61, To: 69}), leaving(other(60), traces.Gap{From: 60, To: 119}), 120,
			[]string{"All events that both traces have are the same up to event 49, at ", "Events 50 to 119 are not comparable", "The first event that is seen to differ is 120:"}, []string{"All is the same"}},
		{"a gap behind a difference", whole(), leaving(other(60), traces.Gap{From: 70, To: 80}), 60,
			[]string{"All is the same up to event 59, at ", "The first event that differs is 60:", "The trace leaves out 11 of 126 events"}, []string{"comparable"}},
		{"no hash", leaving(func() *traces.Trace { a := whole(); a.Hash = ""; return a }(), traces.Gap{From: 7, To: 7}), whole(), 0,
			[]string{"Event 7 is not comparable: a trace leaves it out."}, []string{"the runs are equal"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, two := range [][2]*traces.Trace{{test.a, test.b}, {test.b, test.a}} {
				d := pair(two[0], two[1])
				if d.First.Number != test.number {
					t.Errorf("event %d, want %d", d.First.Number, test.number)
				}
				page := diffPageOf(t, two[0], two[1])
				soundDiff(t, page)
				text := strings.Join(strings.Fields(diffText(t, two[0], two[1])), " ")
				for _, want := range test.says {
					if !strings.Contains(text, want) || !strings.Contains(page, want) {
						t.Errorf("text or page do not say %q:\n%s", want, text)
					}
				}
				for _, not := range test.not {
					if strings.Contains(text, not) || strings.Contains(page, not) {
						t.Errorf("text or page say %q:\n%s", not, text)
					}
				}
				for _, r := range d.Rows {
					if (r.A == nil || r.B == nil) && cutOut(slices.Concat(two[0].Gaps, two[1].Gaps), r.Shown().Seq) && !d.A.InHistory(r.Shown().Seq) && !r.Violating() {
						t.Errorf("%v %s is said to be of one run alone, and may be left out", r.Shown().At, r.Shown().Text)
					}
				}
			}
		})
	}
}

// TestDiffHostile: what comes from traces is text, in words and on the page.
func TestDiffHostile(t *testing.T) {
	for _, sample := range sampletraces.Samples {
		a, b := sample.Make(), sampletraces.Named(t, "calm")
		sampletraces.MakeHostile(a)
		a.Events = append(a.Events, sim.Event{Seq: a.LastSeq() + 1, At: a.EndAt(), Kind: sim.EventKind(sampletraces.Hostile), Actor: sampletraces.Hostile})
		for _, two := range [][2]*traces.Trace{{a, b}, {b, a}} {
			var out bytes.Buffer
			d := story.Compare(story.Compared{Name: sampletraces.Hostile, Trace: two[0]}, story.Compared{Name: sampletraces.Hostile, Trace: two[1]})
			if err := Page(&out, d, sampletraces.Hostile); err != nil {
				t.Fatal(err)
			}
			soundDiff(t, out.String())
			if strings.ContainsAny(out.String(), "\x00\u202e") {
				t.Errorf("%s: the page has control characters", sample.Name)
			}
			out.Reset()
			if err := Text(&out, d, false); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(out.String(), "\x00\x1b\u202e") {
				t.Errorf("%s: the text has control characters", sample.Name)
			}
		}
	}
}

// TestDiffOfLongRuns: what is quadratic in the runs is bounded.
func TestDiffOfLongRuns(t *testing.T) {
	a, b := sampletraces.Busy(20000), sampletraces.Busy(20000)
	b.Events[len(b.Events)/2].Detail = "x"
	start := time.Now()
	page := diffPageOf(t, a, b)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%v for %d events", took, len(a.Events))
	}
	if len(page) > 4*mostDrawn+1<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

// TestDiffEmpty: a run of which nothing is known is compared as well, and one with events at the
// end of time.
func TestDiffEmpty(t *testing.T) {
	empty := sampletraces.Named(t, "calm")
	empty.Events, empty.Tape, empty.Actors, empty.Verdicts, empty.History = nil, nil, nil, nil, model.History{}
	late := sampletraces.Named(t, "calm")
	late.Events = append(late.Events, sim.Event{Seq: late.LastSeq() + 1, At: 1<<62 - 1, Kind: "step", Actor: "c1"})
	for _, two := range [][2]*traces.Trace{{empty, sampletraces.Named(t, "gc-pause")}, {sampletraces.Named(t, "gc-pause"), empty}, {empty, empty}, {late, sampletraces.Named(t, "calm")}, {sampletraces.Named(t, "gc-pause"), late}} {
		soundDiff(t, diffPageOf(t, two[0], two[1]))
		if text := diffText(t, two[0], two[1]); !strings.Contains(text, "A  a.json") {
			t.Errorf("it is told as\n%s", text)
		}
	}
}

// pair compares two traces.
func pair(a, b *traces.Trace) *story.Difference {
	return story.Compare(story.Compared{Name: "a.json", Trace: a}, story.Compared{Name: "b.json", Trace: b})
}

// cutOut reports whether a number is in one of the gaps of a trace.
func cutOut(gaps []traces.Gap, seq int64) bool {
	return slices.ContainsFunc(gaps, func(g traces.Gap) bool { return g.From <= seq && seq <= g.To })
}
