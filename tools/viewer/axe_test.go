package viewer

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// axeRules are the sets of axe's rules that the pages keep.
const axeRules = `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]`

// axeSource is axe-core, which npm ci has put here.
var axeSource = sync.OnceValues(func() (string, error) {
	source, err := os.ReadFile(filepath.Join("node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		return "", fmt.Errorf("axe-core is not here; npm ci in tools/viewer installs it: %w", err)
	}
	return string(source), nil
})

// axe fails the test for each rule that the page breaks as it stands.
func (b *tab) axe(what string) {
	b.Helper()
	for _, broken := range b.broken(what) {
		b.Errorf("%s: %s", what, broken)
	}
}

// broken are the rules that the page breaks as it stands. What is in a frame is a page of its own.
func (b *tab) broken(what string) []string {
	b.Helper()
	source, err := axeSource()
	if err != nil {
		b.Fatal(err)
	}
	if !value[bool](b, `"axe" in window`) {
		b.do(chromedp.Evaluate[chromedp.Void](source + "; 0"))
	}
	type result struct {
		Broken []string
		Passed int
	}
	r, err := chromedp.Run(b.ctx, chromedp.Evaluate[result](`axe.run(document, { runOnly: `+axeRules+`, resultTypes: ["violations"], elementRef: false, iframes: false, preload: false }).then((r) => ({
		Broken: r.violations.flatMap((v) => v.nodes.slice(0, 4).map((n) => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary.replace(/\s+/g, " ") + " " + n.html.slice(0, 160))),
		Passed: r.passes.length }))`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", what, err)
	}
	if r.Passed < 15 {
		b.Errorf("%s: axe found only %d rules that apply and hold", what, r.Passed)
	}
	return r.Broken
}

// looks are how each page is looked at.
func looks() []view {
	return []view{{width: 390, height: 844}, {width: 390, height: 844, dark: true}, {width: 1440, height: 900}, {width: 1440, height: 900, dark: true}}
}

func (v view) String() string { return fmt.Sprintf("%d wide, dark %v", v.width, v.dark) }

// axeInLooks does so in each look.
func (b *tab) axeInLooks(what string) {
	b.Helper()
	for _, v := range looks() {
		b.look(v)
		b.settle()
		b.shoot("axe-" + strings.NewReplacer(", ", "-", " ", "-").Replace(what+", "+v.String()))
		b.axe(what + ", " + v.String())
	}
}

// corpus is a trace of traces/corpus.
func corpus(t testing.TB, name string) *traces.Trace {
	t.Helper()
	trace, err := traces.ReadFile(filepath.Join("..", "..", "traces", "corpus", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// simrunPage is a page that a command of simrun writes, and a later one finds what an earlier one has left.
func simrunPage(t testing.TB, file string, commands ...[]string) {
	t.Helper()
	var printed bytes.Buffer
	for _, args := range commands {
		run := exec.Command("go", append([]string{"run", "./cmd/simrun"}, args...)...)
		run.Dir = filepath.Join("..", "..")
		run.Stdout, run.Stderr = &printed, &printed
		_ = run.Run() // fails if there are findings, as there should be
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("%v\n%s", err, printed.String())
	}
}

// TestAccessibleTraces: axe finds nothing on pages of traces, with everything open that opens.
func TestAccessibleTraces(t *testing.T) {
	pages := map[string]*traces.Trace{
		"redis": corpus(t, "gc-pause_setpx_no-lost-update"), "attributed": sample(t, "attributed"), "calm": sample(t, "calm"),
		"zookeeper": zooKeeper(), "program": program(t), "printing": printing(t),
	}
	for name, trace := range pages { // unordered: each is tested by itself
		b := open(t, trace, looks()[0])
		b.axeInLooks(name)
		if name != "redis" {
			continue
		}
		b.press(".", "o", "/", kb.Escape, "l", ".")
		b.axeInLooks(name + ", all open")
		b.press("?")
		b.axeInLooks(name + ", keys")
	}
}

// zooKeeper is a run over ZooKeeper in which a session ends while its client holds the lock.
func zooKeeper() *traces.Trace {
	const ms = time.Millisecond
	e := sampletraces.NewEnsemble("session-expiry", "zookeeper", 2)
	first, second := e.Open(ms, "c1", "zk2", "0x1"), e.Open(2*ms, "c2", "zk3", "0x2")
	a := e.Call(10*ms, "c1", model.Acquire, nil)
	_, back := e.Create(11*ms, first, a)
	e.Answer(back+ms, a, model.OK)
	e.Tell(2000*ms, "session-expired", first)
	c := e.Call(2010*ms, "c2", model.Acquire, nil)
	_, back = e.Create(2011*ms, second, c)
	e.Answer(back+ms, c, model.OK)
	e.Tell(2100*ms, "session-refused", first)
	return e.Build()
}

// program is a run of a program that breaks a rule of its own.
func program(t testing.TB) *traces.Trace {
	trace := sample(t, "calm")
	for i := range 3 {
		trace.History.Statements = append(trace.History.Statements, model.Statement{
			Stamp: model.Stamp{At: time.Duration(i+1) * 100 * time.Millisecond, Seq: int64(i + 1)}, Process: "c1", Life: 1, Kind: model.SaidAlways, Name: "a mail is sent once", OK: i < 2,
		})
	}
	return trace
}

// TestAccessibleReports: axe finds nothing on the pages of the matrix, of a report, of an experiment and of two runs
// compared.
func TestAccessibleReports(t *testing.T) {
	dir := t.TempDir()
	report, experiment, diff := filepath.Join(dir, "report.html"), filepath.Join(dir, "experiment.html"), filepath.Join(dir, "diff.html")
	simrunPage(t, report, []string{"run", "gc-pause", "--out", dir}, []string{"run", "late-reply", "--lock", "setpx-twostep", "--runs", "64", "--out", dir}, []string{"report", dir, "-o", report})
	page, err := os.ReadFile(filepath.Join("..", "..", "lab", "labreport", "testdata", "report.html")) // as experiment -o writes it
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(experiment, page, 0o600); err != nil {
		t.Fatal(err)
	}
	corpus := filepath.Join("traces", "corpus")
	simrunPage(t, diff, []string{"diff", filepath.Join(corpus, "gc-pause_setpx_no-lost-update.json"), filepath.Join(corpus, "gc-pause_setpx-fenced_mutual-exclusion.json"), "-o", diff})
	for _, file := range []string{matrixPage(t), experiment, report, diff} {
		b := openFile(t, file, looks()[0])
		name := strings.TrimSuffix(filepath.Base(file), ".html")
		b.axeInLooks(name)
		value[any](b, `document.querySelectorAll("details, #letters").forEach((e) => { e.open = e.checked = true; })`)
		if file == matrixPage(t) {
			value[any](b, `location.hash = document.querySelector("a.cell.limit, a.cell.fault").getAttribute("href")`)
		}
		b.axeInLooks(name + ", all open")
	}
}
