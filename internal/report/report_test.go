package report_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/report"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// sample is a report with a bit of everything.
func sample() *report.Report {
	pause, grant := sampletraces.GCPause(), sampletraces.DoubleGrant()
	bigger := *pause
	bigger.Scenario, bigger.Property, bigger.Strategy = "storm", pause.Property, "rapid"
	bigger.Tape = append(bigger.Tape, bigger.Tape...)
	stalled := *sampletraces.Calm()
	stalled.Property, stalled.Trouble = "", &traces.Trouble{Kind: "stalled", Reason: "c1 waits for a mutex"}
	return &report.Report{
		Title: "What TestMine searched and found", Versions: "lockpick 0.2.0, go 1.26",
		Searches: []report.Search{
			{Lock: pause.Lock, Scenario: "gc-pause", How: "strategy portfolio, seed 1", Result: "violation", Schedules: 300, Budget: 2000,
				Violated: []report.Violated{{Violation: pause.Violation(), Schedules: 12}}, Happened: []report.Happening{{Name: "a client was paused", Schedules: 250}},
				Settings: []traces.Parameter{{Name: "clients", Value: "3"}}, Again: "simrun run gc-pause"},
			{Lock: pause.Lock, Scenario: "failover-loss", How: "strategy portfolio, seed 1", Result: "vacuous", Schedules: 3, Budget: 3,
				Happened: []report.Happening{{Name: "a write was lost", Schedules: 0}}},
			{Lock: "another", Scenario: "gc-pause", How: "exhaustive, bound 2", Result: "exhausted", Meaning: "no counterexample within bound 2", Schedules: 4711},
			{Lock: "another", Scenario: "election", Result: report.NotApplicable, Meaning: "no node elects a leader"},
			{Lock: stalled.Lock, Scenario: "contention", How: "strategy portfolio, seed 7", Result: "stalled", Schedules: 1, Troubles: []string{"stalled in schedule 1: c1 waits for a mutex"}},
		},
		Findings: []report.Finding{
			{Trace: &bigger, File: "storm.json"},
			{Trace: pause, File: "gc-pause.json", Page: "gc-pause.html", Replay: "simrun replay gc-pause.json", Note: "it was kept"},
			{Trace: grant}, {Trace: &stalled},
		},
		// Of each of its searches, and told once.
		NotSearched: []report.Unsearched{{Lock: "another", What: "a clock: nobody reads it"}, {Lock: "another", What: "a clock: nobody reads that one"}},
		Notes:       []string{"Not read: x.json"},
	}
}

func write(t *testing.T, r *report.Report) string {
	t.Helper()
	var page bytes.Buffer
	if err := report.Write(&page, r); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

var (
	svg   = regexp.MustCompile(`(?s)<svg.*?</svg>`)
	style = regexp.MustCompile(`(?s)<style>.*?</style>`)
	hash  = regexp.MustCompile(`sha256-(?:[A-Za-z0-9+/=]|&#43;)+`)
)

// TestPage compares the page with a file, but for its pictures and its style.
func TestPage(t *testing.T) {
	page := write(t, sample())
	if again := write(t, sample()); again != page {
		t.Error("the same report has other bytes")
	}
	text := hash.ReplaceAllString(style.ReplaceAllString(svg.ReplaceAllString(page, "[picture]"), "[style]"), "[hash]")
	golden.File(t, "testdata/page.html", text)
}

// TestPageIsWhole: the page has a picture of each counterexample that has events, needs no
// other file and no script, and each of its links leads somewhere.
func TestPageIsWhole(t *testing.T) {
	page := write(t, sample())
	if n := strings.Count(page, `<figure class="run">`); n != 3 {
		t.Errorf("%d figures, want 3", n)
	}
	for _, bad := range []string{"<script", "<link", "<img", "http://", "https://", "src="} {
		if strings.Contains(page, bad) {
			t.Errorf("it has %s", bad)
		}
	}
	for _, m := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if strings.Count(page, fmt.Sprintf(` id="%s"`, m[1])) != 1 {
			t.Errorf("the link to #%s leads nowhere, or to several", m[1])
		}
	}
	for _, want := range []string{
		"default-src &#39;none&#39;; style-src &#39;sha256-", "in none of 3 schedules it happened that a write was lost",
		`href="gc-pause.html"`, "1 kind of run that did not finish, 1 cause of faults and 1 cause of limits, in 5,015 schedules of 5 searches; 1 of them was vacuous; not searched: a clock</strong>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestHostile: text from traces and states is shown as text, whatever it is.
func TestHostile(t *testing.T) {
	const evil = `"><script>alert(1)</script><b x='`
	r := sample()
	r.Title, r.Versions, r.Notes, r.NotSearched = evil, evil, []string{evil}, []report.Unsearched{{Lock: evil, What: evil}}
	for i := range r.Searches {
		s := &r.Searches[i]
		s.Lock, s.Scenario, s.How, s.Meaning, s.Again, s.Troubles = evil, evil, evil, evil, evil, []string{evil}
		s.Happened = []report.Happening{{Name: evil}}
		s.Settings = []traces.Parameter{{Name: evil, Value: evil}}
		s.Violated = []report.Violated{{Violation: model.Violation{Property: evil}, Schedules: 1}}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Trace.Lock, f.Trace.Scenario, f.Trace.Strategy = evil, evil, evil
		f.Trace.Parameters = []traces.Parameter{{Name: evil, Value: evil}}
		f.File, f.Page, f.Replay, f.Note = "javascript:"+evil, evil, evil, evil
	}
	page := write(t, r)
	for _, bad := range []string{"<script", "<b x", `href="javascript:`} {
		if strings.Contains(page, bad) {
			t.Errorf("it has %s", bad)
		}
	}
}

// TestPicturesHaveALimit: a page with very many findings leaves out pictures, says how many,
// and still has one of each cause.
func TestPicturesHaveALimit(t *testing.T) {
	slowtest.SkipIfShort(t)
	r := &report.Report{Title: "many"}
	const many = 400
	for i := range many {
		f := *sampletraces.GCPause()
		f.Scenario = fmt.Sprintf("s%d", i)
		r.Findings = append(r.Findings, report.Finding{Trace: &f})
	}
	last := sampletraces.DoubleGrant()
	last.Lock = "zzz"
	r.Findings = append(r.Findings, report.Finding{Trace: last})
	page := write(t, r)
	figures := strings.Count(page, `<figure class="run">`)
	if len(page) > 10<<20 || figures == many+1 {
		t.Errorf("%d bytes, %d figures", len(page), figures)
	}
	if want := fmt.Sprintf("%d pictures are left out, since pictures take at most 8 MiB of this page", many+1-figures); !strings.Contains(page, want) {
		t.Errorf("it does not say %q", want)
	}
	if first := page[strings.LastIndex(page, `<section class="card" id="cause`):]; !strings.Contains(first, "<figure") {
		t.Error("the last cause has no figure")
	}
}

// TestSmallerCopies: a trace that was shrunk later is not told beside the one it comes from.
func TestSmallerCopies(t *testing.T) {
	big, small := sampletraces.GCPause(), sampletraces.GCPause()
	big.Tape = append(big.Tape, big.Tape...)
	for i := range big.Tape {
		big.Tape[i].Option = 1
	}
	small.Shrunk = &traces.Shrunk{Parameters: big.Parameters, From: explore.CountDeviations(big.Tape)}
	small.Parameters = nil
	page := write(t, &report.Report{Findings: []report.Finding{{Trace: big, File: "x.json"}, {Trace: small, File: "x.shrunk.json"}}})
	if strings.Count(page, `<article class="finding"`) != 1 || !strings.Contains(page, "x.shrunk.json") {
		t.Error("both are told, or the larger one")
	}
}

// TestNothing: a report without findings says so.
func TestNothing(t *testing.T) {
	page := write(t, &report.Report{Title: "t", Searches: []report.Search{{Lock: "l", Scenario: "s", Result: "none-found", Schedules: 10}}})
	if !strings.Contains(page, `<strong class="verdict good">nothing found, in 10 schedules of 1 search</strong>`) {
		t.Error(page)
	}
}

// TestVerdict: the verdict goes by what the searches say too, of which no trace may be here, and
// is good only if every search came to its end and found nothing.
func TestVerdict(t *testing.T) {
	violated := func(limit bool) []report.Violated {
		return []report.Violated{{Violation: model.Violation{Property: "mutual-exclusion", Limit: limit}, Schedules: 8}}
	}
	pause := sampletraces.GCPause()
	kept := []report.Finding{{Trace: pause}}
	for name, c := range map[string]struct {
		search   report.Search
		findings []report.Finding
		want     string
	}{
		"fault":        {report.Search{Result: "violation", Schedules: 100, Violated: violated(false)}, nil, `bad">faults in 1 search without a trace here, in 100 schedules of 1 search`},
		"limit":        {report.Search{Result: "violation", Schedules: 100, Violated: violated(true)}, nil, `mild">limits in 1 search without a trace here, in 100 schedules of 1 search`},
		"undescribed":  {report.Search{Result: "violation", Schedules: 100}, nil, `bad">faults in 1 search without a trace here, in 100 schedules of 1 search`},
		"trouble":      {report.Search{Result: "crashed", Schedules: 1, Troubles: []string{"panic"}}, nil, `bad">runs that did not finish in 1 search without a trace here, in 1 schedule of 1 search`},
		"interrupted":  {report.Search{Result: "inconclusive", Schedules: 50}, nil, `mild">nothing found, in 50 schedules of 1 search; 1 of them was not decided, or did not finish`},
		"not searched": {report.Search{Result: "not searched"}, nil, `mild">nothing was run, in 0 schedules of 1 search; 1 of them was not decided, or did not finish`},
		"vacuous":      {report.Search{Result: "vacuous", Schedules: 3, Happened: []report.Happening{{Name: "x"}}}, nil, `mild">nothing found, in 3 schedules of 1 search; 1 of them was vacuous`},
		"clean":        {report.Search{Result: "exhausted", Schedules: 3}, nil, `good">nothing found, in 3 schedules of 1 search`},
		"a limit's trace": {report.Search{Lock: pause.Lock, Scenario: pause.Scenario, Result: "violation", Schedules: 9, Violated: violated(true)}, kept,
			`mild">1 cause of limits, in 9 schedules of 1 search`},
		"another's trace": {report.Search{Lock: "other", Scenario: pause.Scenario, Result: "violation", Schedules: 9, Violated: violated(false)}, kept,
			`bad">faults in 1 search without a trace here and 1 cause of limits, in 9 schedules of 1 search`},
	} {
		page := write(t, &report.Report{Title: "t", Searches: []report.Search{c.search}, Findings: c.findings})
		if !strings.Contains(page, `<strong class="verdict `+c.want+`</strong>`) {
			_, shown, _ := strings.Cut(page, `<strong class="verdict`)
			t.Errorf("%s: no %q in %.200s", name, c.want, shown)
		}
	}
}

// TestOtherSearches: counterexamples of other searches, tests and calls are all told.
func TestOtherSearches(t *testing.T) {
	var r report.Report
	add := func(file string, change func(*traces.Trace)) {
		one := sampletraces.GCPause()
		change(one)
		r.Findings = append(r.Findings, report.Finding{Trace: one, File: file})
	}
	of := func(pkg string, call, deviations int) func(*traces.Trace) {
		return func(o *traces.Trace) {
			o.Test, o.Strategy, o.Seed, o.Schedule = &traces.Test{Name: "TestSame", Package: pkg, Call: call}, "rapid", 0, 0
			o.Shrunk = &traces.Shrunk{Parameters: o.Parameters, From: deviations}
		}
	}
	add("rounds3.json", func(o *traces.Trace) { o.Parameters = []traces.Parameter{{Name: "rounds", Value: "3"}} })
	add("rounds4.json", func(o *traces.Trace) { o.Parameters = []traces.Parameter{{Name: "rounds", Value: "4"}} })
	add("a1.json", of("example.com/a", 1, 9))
	add("a1again.json", of("example.com/a", 1, 9)) // the same
	add("a2.json", of("example.com/a", 2, 9))
	add("larger.json", of("example.com/a", 2, 10))
	add("b1.json", of("example.com/b", 1, 9))
	page := write(t, &r)
	for _, f := range r.Findings {
		if want := f.File != "a1again.json"; strings.Contains(page, `<a href="`+f.File+`">`) != want {
			t.Errorf("%s: told is not %v", f.File, want)
		}
	}
	for _, want := range []string{"TestSame of example.com/a: ", "TestSame of example.com/b: "} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestMark: a page has the mark of its title, and of no other.
func TestMark(t *testing.T) {
	for _, title := range []string{"t", "a+b\x1b", `What the tests of "a&b'<c>" searched`} {
		if page := write(t, &report.Report{Title: title}); !strings.Contains(page, report.Mark(title)) || strings.Contains(page, report.Mark(title+"s")) {
			t.Errorf("%s: %.500s", title, page)
		}
	}
}

// TestLink: a link leads from the page to the file, whatever the names have.
func TestLink(t *testing.T) {
	page := filepath.Join("out", "report.html")
	for file, want := range map[string]string{
		filepath.Join("out", "x.json"): "x.json", filepath.Join("out", "w#1", "a?b c%.json"): "w%231/a%3Fb%20c%25.json",
		"y.json": "../y.json", filepath.Join("out", "a:b.json"): "./a:b.json",
	} {
		if got := report.Link(page, file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	r := &report.Report{Findings: []report.Finding{{Trace: sampletraces.GCPause(), File: report.Link(page, filepath.Join("out", "w#1", "x.json"))}}}
	if page := write(t, r); !strings.Contains(page, `<a href="w%231/x.json">w#1/x.json</a>`) {
		t.Error("the page does not link to w%231/x.json by its name")
	}
}

// TestOneStory: two causes that show in one run are one story, as simrun run tells it; faults and
// limits are apart, and so are other locks.
func TestOneStory(t *testing.T) {
	var r report.Report
	add := func(file, lock string, limit bool, schedule int, list ...string) {
		one := sampletraces.DoubleGrant()
		one.Lock, one.Schedule, one.Property, one.Limit, one.Verdicts = lock, schedule, list[0], limit, nil
		for _, p := range list {
			one.Verdicts = append(one.Verdicts, model.Verdict{Property: p, Status: model.Violated, Limit: limit, Cause: "cause-of-" + p, Sentence: p + " in " + file})
		}
		r.Findings = append(r.Findings, report.Finding{Trace: one, File: file})
	}
	add("only-b.json", "l", false, 1, "truthful-release")
	add("both.json", "l", false, 2, "owner-only-release", "truthful-release")
	add("limit.json", "l", true, 3, "truthful-release")
	add("other.json", "other", false, 4, "truthful-release")
	page := write(t, &r)
	if want := `bad">2 causes of faults and 1 cause of limits</strong>`; !strings.Contains(page, want) {
		t.Errorf("no %q", want)
	}
	sections := strings.Split(page, `<section class="card" id="cause`)[1:]
	for i, files := range [][]string{{"both.json", "only-b.json"}, {"other.json"}, {"limit.json"}} {
		if len(sections) != 3 {
			t.Fatalf("%d causes", len(sections))
		}
		for _, f := range r.Findings {
			if want := slices.Contains(files, f.File); strings.Contains(sections[i], `<a href="`+f.File+`">`) != want {
				t.Errorf("cause %d: %s is there: %v", i+1, f.File, !want)
			}
		}
	}
}
