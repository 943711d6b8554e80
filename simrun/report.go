package simrun

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/internal/packed"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/report"
	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// reportCmd writes the results in a directory as one page.
type reportCmd struct {
	Dir string `arg:"" optional:"" default:"simrun-out" help:"The directory to which searches wrote: that of --out, or of a test's -simrun.out (default ${default})."`
	Out string `short:"o" help:"The page to write (default: report.html in the directory; - for standard output)." placeholder:"FILE"`
}

// Run writes the page.
func (c reportCmd) Run(a *app) error {
	out := c.Out
	switch out {
	case "":
		out = filepath.Join(c.Dir, "report.html")
	case "-": // links are relative to the working directory
	default:
		if err := command.IsPage("-o", out); err != nil {
			return usageError{err}
		}
	}
	g := &gathered{app: a, dir: c.Dir, out: out, Report: report.Report{Title: "What was searched and found: " + filepath.Base(absolute(c.Dir)), Versions: a.versions().String()}}
	if err := g.gather(); err != nil {
		return usageError{err}
	}
	if out == "-" {
		return report.Write(wording.Data(a.out), &g.Report)
	}
	if err := traces.Replace(out, func(w io.Writer) error { return report.Write(w, &g.Report) }); err != nil {
		return usageError{fmt.Errorf("the report cannot be written: %w", err)}
	}
	fmt.Fprintf(a.out, "wrote %s: %s and %s, in one page to send\n", out, count(len(g.Searches), "search", "searches"), wording.GroupedCount(len(g.Findings), "counterexample"))
	return nil
}

// count is a number with its noun.
func count(n int, one, many string) string {
	return wording.Grouped(n) + " " + wording.Form(n, one, many)
}

// absolute is a path that does not depend on the directory.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// gathered is a report under construction.
type gathered struct {
	*app
	dir, out string
	report.Report
	unknown []string // files that are neither
}

// gather reads all states and traces, in the order of their names.
func (g *gathered) gather() error {
	info, err := os.Stat(g.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no directory %s: simrun run and check write to simrun-out, or where --out says", g.dir)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory: name the one to which searches wrote", g.dir)
	}
	err = filepath.WalkDir(g.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return g.file(path)
	})
	if err != nil {
		return err
	}
	if len(g.Searches)+len(g.Findings) == 0 {
		text := fmt.Sprintf("there is nothing to report in %s: neither the state of a search nor a trace", g.dir)
		if len(g.unknown) > 0 {
			text += "; " + g.unknown[0]
		}
		return errors.New(text)
	}
	if n := len(g.unknown); n > 0 {
		const most = 5
		names := g.unknown[:min(n, most)]
		if n > most {
			names = append(slices.Clone(names), fmt.Sprintf("and %d more", n-most))
		}
		g.Notes = append(g.Notes, "Not read: "+strings.Join(names, "; "))
	}
	g.strays()
	return nil
}

// file reads a file, if it is one of a search's.
func (g *gathered) file(path string) error {
	name := filepath.Base(path)
	if ext := filepath.Ext(path); (ext == ".json" || ext == ".ndjson") && (recorded.SameFile(g.out, path) || recorded.SameFile(g.out, pageOf(path))) {
		return fmt.Errorf("%s is a file of the searches, or the picture of a trace: name another file for the page with -o", g.out)
	}
	switch {
	case strings.HasPrefix(name, "."):
		return nil // it is being written
	case shards.IsState(name):
		return g.state(path)
	case name == cellsFile:
		return g.cells(path)
	case filepath.Ext(name) != ".json":
		return nil
	}
	t, err := traces.ReadFile(path)
	switch {
	case err != nil:
		g.unknown = append(g.unknown, err.Error())
	case t.Real != nil && t.Attached == nil:
		g.unknown = append(g.unknown, path+": a run on real servers, and no counterexample of a search")
	case t.Property == "" && t.Trouble == nil:
		g.unknown = append(g.unknown, path+": a trace without a violation")
	default:
		g.Findings = append(g.Findings, g.finding(path, t))
	}
	return nil
}

// finding returns the finding of a trace, with links from the page.
func (g *gathered) finding(path string, t *traces.Trace) report.Finding {
	f := report.Finding{Trace: t, File: report.Link(g.out, path), Replay: g.replayWith(t, path)}
	if _, err := os.Stat(pageOf(path)); err == nil {
		f.Page = report.Link(g.out, pageOf(path))
	}
	return f
}

// state adds a search by its state.
func (g *gathered) state(path string) error {
	s, err := explore.ReadState(path)
	if err != nil {
		g.unknown = append(g.unknown, err.Error())
		return nil
	}
	id, err := readIdentity(s)
	if err != nil {
		g.unknown = append(g.unknown, path+": "+err.Error())
		return nil
	}
	ended, err := conclusionOf(s)
	if err != nil {
		g.unknown = append(g.unknown, path+": "+err.Error())
		return nil
	}
	tally := s.Tally()
	one := report.Search{
		Lock: id.Lock, Scenario: id.Scenario, How: id.how(s.Shard), Schedules: tally.Schedules, Undecided: tally.Undecided,
		Result: report.Result(explore.Inconclusive), Meaning: "the search has not ended",
	}
	if id.Kind == runKind {
		one.Budget = id.Runs
	}
	for _, t := range tally.Troubles {
		one.Troubles = append(one.Troubles, troubleSentence(t.Kind, t.Schedule, t.Reason))
	}
	if ended != nil {
		ended.fillIn(&one)
		for _, what := range ended.Summary.NotSearched {
			g.NotSearched = append(g.NotSearched, report.Unsearched{Lock: id.Lock, What: what})
		}
	} else {
		for v, n := range tally.Violations { // unordered: sorted below
			one.Violated = append(one.Violated, report.Violated{Violation: v, Schedules: n})
		}
		slices.SortFunc(one.Violated, func(a, b report.Violated) int { return a.Compare(b.Violation) })
	}
	g.Searches = append(g.Searches, one)
	return nil
}

// troubleSentence describes how a run ended that did not finish.
func troubleSentence(kind explore.TroubleKind, schedule int, reason string) string {
	return fmt.Sprintf("%s in schedule %s: %s", kind, wording.Grouped(schedule), reason)
}

// how returns the strategy and the seed of a search, or its bound.
func (id *identity) how(shard string) string {
	text := fmt.Sprintf("strategy %s, seed %d", id.Strategy, id.Seed)
	if id.Kind == checkKind {
		text = fmt.Sprintf("exhaustive, bound %d", id.Bound)
		if id.Plain {
			text += ", without reduction"
		}
	}
	if id.FailFast {
		text += ", until the first violation"
	}
	if shard != "" {
		text += ", shard " + shard
	}
	return text
}

// fillIn fills in the printed result of a search.
func (s *conclusion) fillIn(one *report.Search) {
	sum := &s.Summary
	one.Result, one.Meaning, one.Settings, one.Again = report.Result(sum.Result), s.Meaning, s.Settings, sum.Again
	one.Schedules, one.Undecided = sum.Schedules, sum.Undecided
	if sum.Check != nil { // it has the result, too
		one.Meaning = bare(strings.TrimPrefix(sum.Check.Sentence, sum.Result))
	}
	if sum.Interrupted {
		one.Meaning = strings.TrimPrefix(one.Meaning+"; interrupted", "; ")
	}
	for _, h := range sum.Happened {
		one.Happened = append(one.Happened, report.Happening(h))
	}
	for _, f := range sum.Found {
		one.Violated = append(one.Violated, report.Violated{Violation: model.Violation{Property: f.Property, Limit: f.Limit}, Schedules: f.Schedules})
	}
}

// The limits of a file of cells: the length of its text in bytes, and its list entries and
// objects.
const (
	maxCells       = 64 << 20
	maxCellEntries = 1 << 20
)

// readCells reads a file of cells that is not too long.
func readCells(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := packed.Read(f, maxCells)
	if err != nil {
		return nil, err
	}
	if err := packed.Entries(data, maxCellEntries, 16); err != nil {
		return nil, err
	}
	return packed.Unseal(data)
}

// cells adds the searches of a matrix.
func (g *gathered) cells(path string) error {
	data, err := readCells(path)
	if err != nil {
		g.unknown = append(g.unknown, path+": "+err.Error()+"; remove it, and run the matrix again")
		return nil
	}
	var cells []jsonMatrixCell
	var sum jsonMatrixSummary
	for line := range bytes.Lines(data) {
		var kind struct{ Type string }
		err := json.Unmarshal(line, &kind)
		switch {
		case err == nil && kind.Type == "cell":
			cells = append(cells, jsonMatrixCell{})
			err = json.Unmarshal(line, &cells[len(cells)-1])
		case err == nil && kind.Type == "summary":
			err = json.Unmarshal(line, &sum)
		}
		if err != nil {
			g.unknown = append(g.unknown, path+": "+err.Error())
			return nil
		}
	}
	for i := range cells {
		g.Searches = append(g.Searches, cells[i].search(&sum))
	}
	return nil
}

// search returns a cell of a matrix as a search.
func (c *jsonMatrixCell) search(sum *jsonMatrixSummary) report.Search {
	one := report.Search{
		Lock: c.Lock, Scenario: c.Scenario, Settings: c.Settings, How: fmt.Sprintf("matrix, seed %d", sum.Seed),
		Result: report.Result(c.Result), Schedules: c.Schedules, Budget: sum.Runs, Undecided: c.Undecided, Again: c.Again,
	}
	switch {
	case c.Except != "":
		one.Result, one.Meaning = report.NotApplicable, c.Except
	case c.Result == "":
		one.Result = report.NotSearched
	case !c.AsExpected:
		one.Meaning = "this is not as expected"
	}
	for _, h := range c.Happened {
		one.Happened = append(one.Happened, report.Happening(h))
	}
	for _, t := range c.Troubles {
		one.Troubles = append(one.Troubles, troubleSentence(t.Kind, t.Schedule, t.Reason))
	}
	for _, p := range c.Properties {
		if p.Schedules > 0 {
			one.Violated = append(one.Violated, report.Violated{Violation: model.Violation{Property: p.Property, Limit: p.Limit}, Schedules: p.Schedules})
		}
	}
	if c.Standing == string(matrix.NoneFound) && c.Result == explore.Violation && len(one.Violated) == 0 {
		one.Result, one.Meaning = explore.NoneFound, "only weak properties are violated, which sound locks violate too"
	}
	return one
}

// strays notes the counterexamples of searches that left nothing else in the directory.
func (g *gathered) strays() {
	var names []string
	for _, f := range g.Findings {
		t := f.Trace
		name := t.Lock + " under " + t.Scenario
		searched := slices.ContainsFunc(g.Searches, func(s report.Search) bool { return s.Lock == t.Lock && s.Scenario == t.Scenario })
		if !searched && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		g.Notes = append(g.Notes, "Some searches left counterexamples here but no state, so the rest of their results is unknown: "+wording.And(names))
	}
}
