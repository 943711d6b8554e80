package locktest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/report"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// pages are the reports of the calls of Check in this process, by test and call.
var pages = struct {
	sync.Mutex
	of      map[string]*report.Report
	claimed bool
}{of: map[string]*report.Report{}}

// report writes the searches and findings of a call of Check: with those of other calls to the page that -simrun.report
// names, and alone to the test's artifact directory.
func (x *session) report(t *testing.T) {
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
		if x.call.Call > 1 {
			name = fmt.Sprintf("report-%d.html", x.call.Call)
		}
		path := filepath.Join(t.ArtifactDir(), name)
		write(path, x.newReport(path))
	}
	if page == "" {
		return
	}
	pages.Lock()
	defer pages.Unlock()
	pages.of[fmt.Sprintf("%s#%d", x.call.Name, x.call.Call)] = x.newReport(page)
	all := &report.Report{Title: "What the tests of " + x.call.Package + " searched and found"}
	if !pages.claimed {
		if err := claim(page, all.Title); err != nil {
			t.Errorf("the report cannot be written: %v", err)
			return
		}
		pages.claimed = true
	}
	for _, name := range slices.Sorted(maps.Keys(pages.of)) {
		one := pages.of[name]
		all.Versions = one.Versions
		all.Searches = append(all.Searches, one.Searches...)
		all.Findings = append(all.Findings, one.Findings...)
		all.NotSearched = append(all.NotSearched, one.NotSearched...)
		all.Notes = append(all.Notes, one.Notes...)
	}
	write(page, all)
}

// claim makes sure that no other package's page is at a path: go test runs packages in parallel, and passes the same
// absolute path to all of them. An existing page must have the same title.
func claim(path, title string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		_, err = io.WriteString(f, report.Mark(title)) // the page follows
		return errors.Join(err, f.Close())
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	old, err := os.ReadFile(path)
	if err == nil && !bytes.Contains(old, []byte(report.Mark(title))) {
		err = fmt.Errorf("%s is there, and has another title than %q: remove it; or, if it is the page of another package, "+
			"name a relative path, which is in the directory of each package", path, title)
	}
	return err
}

// newReport returns the report of this call, as a page at a path.
func (x *session) newReport(page string) *report.Report {
	r := &report.Report{
		Title: "What " + x.call.Name + " searched and found", Versions: cell.Versions(x.lock.Store).String(), Searches: x.searches,
	}
	for _, one := range x.findings.NotSearched {
		r.NotSearched = append(r.NotSearched, report.Unsearched{Lock: x.call.Name, What: one})
	}
	for _, f := range x.findings.Failures() {
		if f.Trace != nil {
			r.Findings = append(r.Findings, x.reported(page, f.Trace, f.Path, f.Note))
		}
	}
	for _, t := range x.findings.Limits {
		r.Findings = append(r.Findings, x.reported(page, t, "", ""))
	}
	for _, t := range x.findings.Expected {
		r.Findings = append(r.Findings, x.reported(page, t, "", "this violation is expected"))
	}
	return r
}

// reported returns a finding in a report at the path page. Path is that of its kept case, empty if it is not kept.
func (x *session) reported(page string, t *traces.Trace, path, note string) report.Finding {
	if path == "" {
		path = testbinary.OutPath(x.call, t)
	}
	f := report.Finding{Trace: t, Note: note, Replay: x.command(t.Scenario, path, !x.fails(t.Scenario, t.Violation()))}
	if path == "" {
		return f
	}
	f.File = report.Link(page, testbinary.Absolute(path))
	picture := strings.TrimSuffix(path, ".json") + ".html"
	if _, err := os.Stat(testbinary.Absolute(picture)); err == nil {
		f.Page = report.Link(page, testbinary.Absolute(picture))
	}
	return f
}

// searched returns the entry of a report for the search of a scenario.
func (x *session) searched(s *cell.Scenario, r *Result) report.Search {
	one := report.Search{
		Lock: x.call.Name, Scenario: s.ID, How: fmt.Sprintf("strategy %s, seed %d", explore.PortfolioStrategy, x.seed),
		Result: report.Result(r.Result), Schedules: r.Schedules, Budget: x.schedules(s.ID), Violated: r.violated, Undecided: r.Undecided, Again: x.command(s.ID, "", true),
	}
	if x.bound != nil {
		one.How, one.Budget = fmt.Sprintf("exhaustive, bound %d", *x.bound), 0
	}
	if r.Cut {
		one.Meaning = "the time of the test ended before its last schedule"
	}
	if r.Result == "" {
		one.Result = report.NotSearched
	}
	if c, err := x.cell(s); err == nil {
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

// triedKept returns the entry of a report for a scenario that was not searched because a kept case still fails.
func (x *session) triedKept(s *cell.Scenario, failures []*causes.Failure) report.Search {
	one := report.Search{Lock: x.call.Name, Scenario: s.ID, Result: report.KeptFails, Meaning: "the scenario was not searched"}
	for _, f := range failures {
		if f.Trouble != nil {
			one.Troubles = append(one.Troubles, f.Trouble.Reason)
			continue
		}
		one.Violated = append(one.Violated, report.Violated{Violation: f.Trace.Violation()})
	}
	return one
}
