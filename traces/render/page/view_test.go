package page

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
)

const (
	us = time.Microsecond
	ms = time.Millisecond
)

var pages = flag.String("pages", "", "leave the pages of the samples in this directory, to be looked at")

func view(t testing.TB, trace *traces.Trace) string {
	t.Helper()
	var page bytes.Buffer
	if err := View(&page, trace, "simrun replay some.trace"); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func TestViewSamples(t *testing.T) {
	for _, sample := range sampletraces.Samples {
		t.Run(sample.Name, func(t *testing.T) {
			page := view(t, sample.Make())
			if page != view(t, sample.Make()) {
				t.Error("equal traces make different pages")
			}
			if *pages != "" {
				if err := os.WriteFile(filepath.Join(*pages, sample.Name+".html"), []byte(page), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			data := sampletraces.Between(t, page, `<script type="application/json" id="data">`, "</script>")
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, []byte(data), "", " "); err != nil {
				t.Fatal(err)
			}
			golden.File(t, "../testdata/"+sample.Name+".json", onOneLine.ReplaceAllStringFunc(pretty.String(), joinLines)+"\n")
			if slices.Contains([]string{"gc-pause", "calm", "double-grant", "deadlock"}, sample.Name) {
				golden.File(t, "../testdata/"+sample.Name+".svg", "<svg "+sampletraces.Between(t, page, "<svg ", "</svg>")+"</svg>\n")
			}
		})
	}
}

// onOneLine are lists of numbers, and of such lists, which have a line each in the golden
// files.
var onOneLine = regexp.MustCompile(`\[[-\d\s,]+\]`)

func joinLines(s string) string { return strings.Join(strings.Fields(s), " ") }

// Without its script the page still tells everything but details.
func TestViewIsWholeWithoutScript(t *testing.T) {
	trace := sampletraces.GCPause()
	page := view(t, trace)
	static, _, _ := strings.Cut(page, `<script type="application/json"`)
	for _, want := range []string{
		"simrun replay some.trace", "no-lost-update violated", `<span class="text">writes 1 over c2&#39;s 1: an update is lost`,
		"the violation</em>", "ttl=2s", "schedule 17 of seed 42", `<svg id="overview"`, `<svg id="lens"`, "c1 is paused for 3.1s",
		"not applicable", "A limit of leases, not a fault of the lock", fmt.Sprintf("All events (%d)", len(trace.Events)),
	} {
		if !strings.Contains(static, want) {
			t.Errorf("the static page has no %q", want)
		}
	}
	if rows := strings.Count(static, "<tr data-at="); rows != len(trace.Events) {
		t.Errorf("%d rows for %d events", rows, len(trace.Events))
	}
}

func TestViewWithoutViolation(t *testing.T) {
	page := view(t, sampletraces.Calm())
	for _, want := range []string{"No violation; this is what happened.", "no violation</strong>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	static, _, _ := strings.Cut(page, `<script type="application/json"`)
	if _, body, _ := strings.Cut(static, "<body>"); strings.Contains(body, `class="broken`) {
		t.Error("something is drawn as broken")
	}
}

// The policy admits the page's own script and style and nothing else, so that
// the hashes must be those of what stands in the page, to the byte.
func TestViewPolicy(t *testing.T) {
	page := view(t, sampletraces.GCPause())
	policy := sampletraces.Between(t, page, `http-equiv="Content-Security-Policy" content="`, `"`)
	policy = strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy)
	script := sampletraces.Between(t, page, "<script>", "</script>")
	style := sampletraces.Between(t, page, "<style>", "</style>")
	want := picture.Policy(style, script)
	if policy != want {
		t.Errorf("the policy is\n%s\nand should be\n%s", policy, want)
	}
	body := strings.ReplaceAll(strings.ReplaceAll(page, script, ""), style, "")
	for _, forbidden := range []string{`\sstyle=`, `\son[a-z]+=`, `\ssrc=`, `href=`, `https?://`, `@import`, `javascript:`} {
		if found := regexp.MustCompile(forbidden).FindString(body); found != "" {
			t.Errorf("the page contains %q", found)
		}
	}
	if strings.Contains(script, "innerHTML") || strings.Contains(script, "insertAdjacentHTML") || strings.Contains(script, "eval(") {
		t.Error("the script interprets text")
	}
}

func TestViewCutsAroundTheViolation(t *testing.T) {
	trace := sampletraces.Busy(3000)
	if len(trace.Events) < 6000 {
		t.Fatalf("only %d events", len(trace.Events))
	}
	last := trace.History.Operations[len(trace.History.Operations)-2]
	trace.Property = "mutual-exclusion"
	trace.Verdicts = []model.Verdict{{
		Property: "mutual-exclusion", Status: model.Violated, Operations: []int{last.ID}, From: last.Return, To: last.Return,
	}}
	if err := sampletraces.Sound(trace); err != nil {
		t.Fatal(err)
	}
	page := view(t, trace)
	if rows := strings.Count(page, "<tr data-at="); rows != picture.MaxShown {
		t.Errorf("%d rows, want %d", rows, picture.MaxShown)
	}
	var data viewData
	if err := json.Unmarshal([]byte(sampletraces.Between(t, page, `id="data">`, "</script>")), &data); err != nil {
		t.Fatal(err)
	}
	if n := len(data.Rest) + picture.MaxShown; n != len(trace.Events) || !strings.Contains(page, fmt.Sprintf("All events (%d)", n)) {
		t.Errorf("the page has %d of %d events", n, len(trace.Events))
	}
	if !strings.Contains(page, fmt.Sprintf("This run has %d events.", len(trace.Events))) || !strings.Contains(page, "around the violation") {
		t.Error("the page does not say what it leaves out")
	}
	if !strings.Contains(page, fmt.Sprintf("<td>%d</td>", last.Return.Seq)) {
		t.Error("the violating event is not in the table")
	}
	if len(page) > 3<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

// quick tests that the page of a trace four times as long takes at most nine times as long to
// make: a cost that grows with the square takes sixteen times. It returns the longer one's page.
func quick(t *testing.T, build func(n int) *traces.Trace, n int) (page string) {
	t.Helper()
	const tries = 4
	fastest := func(trace *traces.Trace, tries int) time.Duration {
		least := time.Duration(math.MaxInt64)
		for range tries {
			start := time.Now()
			page = view(t, trace)
			least = min(least, time.Since(start))
		}
		return least
	}
	short, long := build(n/4), build(n)
	for range tries {
		if fastest(long, 1) <= 9*fastest(short, 1) {
			return view(t, long)
		}
	}
	t.Errorf("%v for %d events, and %v for %d", fastest(long, 2), len(long.Events), fastest(short, 2), len(short.Events))
	return page
}

func TestViewOfALongRunIsQuick(t *testing.T) {
	page := quick(t, sampletraces.Busy, 20000)
	if !strings.Contains(page, "around the steps") && !strings.Contains(page, "from the first") {
		t.Error("the page does not say what it leaves out")
	}
}

// TestViewOfManySessionsIsQuick: sessions that overlap, and expire without their client's
// being told, or with.
func TestViewOfManySessionsIsQuick(t *testing.T) {
	for _, told := range []bool{false, true} {
		build := func(n int) *traces.Trace { return manySessions(n, told) }
		if page := quick(t, build, 4000); !strings.Contains(page, "c1&#39;s session") {
			t.Error("no session is drawn")
		}
	}
}

func manySessions(n int, told bool) *traces.Trace {
	e := sampletraces.NewEnsemble("s", "l", 2)
	var open []*sampletraces.Session
	for i := range 2 {
		e.Answer(ms, e.Call(0, e.T.Actors[i].Name, model.Acquire, nil), model.OK)
	}
	for i := range n {
		open = append(open, e.Open(time.Duration(i)*ms, e.T.Actors[i%2].Name, "zk2", fmt.Sprint("0x", i)))
	}
	for i, x := range open {
		at := time.Duration(n+i) * ms
		e.Tell(at, "transaction-began", x)
		e.Tell(at, "session-expired", x)
		if told {
			e.Tell(at, "session-refused", x)
		}
	}
	return e.Build()
}

// TestViewOfManyRolesIsQuick: a node that loses its leader and finds it again, all the time.
func TestViewOfManyRolesIsQuick(t *testing.T) {
	build := func(n int) *traces.Trace {
		e := sampletraces.NewEnsemble("s", "l", 1)
		for i := range n {
			at := time.Duration(i) * ms
			e.See(at, sampletraces.Role("zk2", model.RoleAlone, 0))
			e.See(at+ms/2, model.Observation{Node: "zk2", Kind: model.Returned})
		}
		return e.Build()
	}
	if page := quick(t, build, 8000); !strings.Contains(page, "has a leader again") {
		t.Error("no step tells of it")
	}
}
