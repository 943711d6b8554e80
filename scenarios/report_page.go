package scenarios

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/report"
	"github.com/lockpick-dev/lockpick/scenarios/internal/testbinary"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// pages are the reports of the calls of Check in this process so far, by test and call.
var pages = struct {
	sync.Mutex
	of map[string]*report.Report
}{of: map[string]*report.Report{}}

// report writes what a call of Check has searched and found: with those of other calls to
// the page that -simrun.report names, and alone to the test's artifact directory.
func (a *attack) report(t *testing.T) {
	t.Helper()
	page := testbinary.Report()
	if page == "" && !testbinary.Artifacts() {
		return
	}
	write := func(path string, r *report.Report) {
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil {
			err = traces.Replace(path, func(w io.Writer) error { return report.Write(w, r) })
		}
		if err != nil {
			t.Errorf("the report cannot be written: %v", err)
		}
	}
	if testbinary.Artifacts() {
		name := "report.html"
		if a.call.Call > 1 {
			name = fmt.Sprintf("report-%d.html", a.call.Call)
		}
		path := filepath.Join(t.ArtifactDir(), name)
		write(path, a.newReport(path))
	}
	if page == "" {
		return
	}
	pages.Lock()
	defer pages.Unlock()
	pages.of[fmt.Sprintf("%s#%d", a.call.Name, a.call.Call)] = a.newReport(page)
	all := &report.Report{Title: "What the tests of " + a.call.Package + " searched and found"}
	for _, name := range slices.Sorted(maps.Keys(pages.of)) {
		one := pages.of[name]
		all.Versions = one.Versions
		all.Searches = append(all.Searches, one.Searches...)
		all.Findings = append(all.Findings, one.Findings...)
		all.Notes = append(all.Notes, one.Notes...)
	}
	write(page, all)
}

// newReport is the report of this call, as a page at a path.
func (a *attack) newReport(page string) *report.Report {
	r := &report.Report{
		Title: "What " + a.call.Name + " searched and found", Versions: Versions(a.lock.store()).String(), Searches: a.searches,
	}
	for _, w := range a.findings.Warnings {
		r.Notes = append(r.Notes, a.call.Name+": warning: "+w)
	}
	for _, f := range a.findings.Failures() {
		if f.Trace != nil {
			r.Findings = append(r.Findings, a.reported(page, f.Trace, f.Path, f.Note))
		}
	}
	for _, t := range a.findings.Limits {
		r.Findings = append(r.Findings, a.reported(page, t, "", ""))
	}
	for _, t := range a.findings.Expected {
		r.Findings = append(r.Findings, a.reported(page, t, "", "this violation is expected"))
	}
	return r
}

// reported is a finding in a report at a path. Path is that of its kept case, empty if it
// is not kept.
func (a *attack) reported(page string, t *traces.Trace, path, note string) report.Finding {
	if path == "" {
		path = testbinary.OutPath(a.call, t)
	}
	f := report.Finding{Trace: t, Note: note, Replay: a.command(t.Scenario, path, !a.fails(t.Scenario, t.Violation()))}
	if path == "" {
		return f
	}
	link := func(file string) string {
		if rel, err := filepath.Rel(filepath.Dir(page), testbinary.Absolute(file)); err == nil {
			file = rel
		}
		return filepath.ToSlash(file)
	}
	f.File = link(path)
	picture := strings.TrimSuffix(path, ".json") + ".html"
	if _, err := os.Stat(testbinary.Absolute(picture)); err == nil {
		f.Page = link(picture)
	}
	return f
}

// searched is what a report says of the search of a scenario.
func (a *attack) searched(s *Scenario, r *Result) report.Search {
	one := report.Search{
		Lock: a.call.Name, Scenario: s.ID, How: fmt.Sprintf("strategy %s, seed %d", explore.PortfolioStrategy, a.seed),
		Result: r.Result, Schedules: r.Schedules, Budget: a.schedules(s.ID), Violated: r.violated, Undecided: r.Undecided, Again: a.command(s.ID, "", true),
	}
	if a.bound != nil {
		one.How, one.Budget = fmt.Sprintf("exhaustive, bound %d", *a.bound), 0
	}
	if r.Result == "" {
		one.Result = "not searched"
	}
	if c, err := a.cell(s); err == nil {
		one.Settings = c.Settings()
	}
	for _, h := range r.Happenings {
		one.Happened = append(one.Happened, report.Happening(h))
	}
	for i := range r.Troubles {
		t := &r.Troubles[i]
		one.Troubles = append(one.Troubles, fmt.Sprintf("%s in schedule %d: %s", t.Kind, t.Schedule, t.Reason))
	}
	return one
}

// triedKept is what a report says of a scenario that was not searched, since a kept case
// still fails.
func (a *attack) triedKept(s *Scenario, failures []*causes.Failure) report.Search {
	one := report.Search{Lock: a.call.Name, Scenario: s.ID, Result: "a kept case fails", Meaning: ", so that the scenario was not searched"}
	for _, f := range failures {
		if f.Trouble != nil {
			one.Troubles = append(one.Troubles, f.Trouble.Reason)
			continue
		}
		one.Violated = append(one.Violated, report.Violated{Violation: f.Trace.Violation()})
	}
	return one
}
