package simrun

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/ci"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// This file tells continuous integration what a command has found: JUnit's XML by --junit, and
// in a step of GitHub Actions annotations, on standard error, and a summary.

// clearJUnit removes the report of an earlier command, if a file is named: nobody shall take it
// for that of this one, however this one ends.
func clearJUnit(path string) error {
	info, err := os.Lstat(path)
	if path == "" || err != nil || info.Mode()&(os.ModeType&^os.ModeSymlink) != 0 {
		return nil // there is none, or what there is holds nothing
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("the old JUnit report cannot be removed: %w", err)
	}
	return nil
}

// writeJUnit writes a report to a file, if one is named.
func writeJUnit(path string, s *ci.Suite) error {
	if path == "" {
		return nil
	}
	if err := traces.Replace(path, func(w io.Writer) error { return s.WriteJUnit(w) }); err != nil {
		return fmt.Errorf("the JUnit report cannot be written: %w", err)
	}
	return nil
}

// suite is the report of the search: a case for each property, and one for the search itself.
func (h *hunt) suite(o *outcome, began time.Time) *ci.Suite {
	s := &ci.Suite{Name: "simrun " + h.id.Kind, Package: h.id.Scenario + "." + h.id.Lock, Out: "again: " + h.again() + "\n"}
	if !h.Stable {
		s.Began, s.Took = began, o.elapsed
	}
	for _, p := range h.id.settings() {
		s.Properties = append(s.Properties, ci.SuiteProperty{Name: p.name, Value: p.value})
	}
	search := ci.Case{Class: s.Package, Name: "search"}
	why := strings.TrimLeft(h.meaning(o), ":, ")
	switch {
	case len(o.Troubles) > 0:
		t := &o.Troubles[0]
		search.Came, search.Kind, search.Message, search.Text = ci.Broken, string(t.Kind), t.Reason, causes.TroubleText(h.id.Lock, h.id.Scenario, t)
	case o.result == explore.Vacuous:
		search.Came, search.Kind, search.Message = ci.Skipped, o.result, why
	case o.result == string(explore.Inconclusive):
		search.Came, search.Kind, search.Message = ci.Broken, string(explore.Inconclusive), why
	default:
		if cut := h.cut(o); cut != "" {
			search.Came, search.Kind, search.Message = ci.Broken, string(explore.Inconclusive), cut
		} else if h.id.FailFast && o.result == explore.Violation {
			search.Came, search.Kind, search.Message = ci.Skipped, "incomplete", "the search ended with its first violation: --failfast"
		}
	}
	s.Cases = append(s.Cases, search)
	for _, id := range h.cell.Judged() {
		c := ci.Case{Class: s.Package, Name: id}
		h.propertyCase(&c, o, search)
		s.Cases = append(s.Cases, c)
	}
	return s
}

// cut says why a search that has found something is not complete, empty if it is.
func (h *hunt) cut(o *outcome) string {
	switch {
	case o.interrupted:
		return "the search was interrupted"
	case len(o.missing) > 0:
		return "missing is " + h.absent(o.missing)
	case o.check != nil && o.check.Unmatched > 0:
		return "the reduction does not hold for this lock"
	case o.check != nil && o.check.Complete < o.check.Bound && !h.id.FailFast:
		return fmt.Sprintf("bound %d was not reached", o.check.Bound)
	}
	return ""
}

// propertyCase says how a property came out of the search, which came out itself in some way. A
// property passes only if it was decided in every schedule of a complete search.
func (h *hunt) propertyCase(c *ci.Case, o *outcome, search ci.Case) {
	for _, limit := range []bool{false, true} {
		v := model.Violation{Property: c.Name, Limit: limit}
		if o.Violations[v] == 0 {
			continue
		}
		if c.Came == ci.Passed {
			c.Came, c.Kind = ci.Failed, v.Class()
			c.Message = fmt.Sprintf("violated in %s of %s", wording.Grouped(o.Violations[v]), schedules(o.Schedules))
		}
		c.Text += h.storyOf(v)
	}
	first, n := o.FirstUndecided, o.UndecidedOf[c.Name]
	switch {
	case c.Came != ci.Passed:
	case first != nil && first.Property == c.Name:
		c.Came, c.Kind, c.Message = ci.Broken, string(explore.Inconclusive), first.Sentence
	case n > 0:
		c.Came, c.Kind = ci.Broken, string(explore.Inconclusive)
		c.Message = fmt.Sprintf("it could not be decided in %s of %s", wording.Grouped(n), schedules(o.Schedules))
	case search.Came != ci.Passed:
		c.Came, c.Kind, c.Message = ci.Skipped, search.Kind, search.Message
	}
}

// storyOf is the whole story of a violation, with the command that replays it.
func (h *hunt) storyOf(v model.Violation) string {
	i := slices.IndexFunc(h.told, func(t told) bool { return t.trace.Violation() == v })
	if i < 0 {
		return "again: " + h.again() + "\n"
	}
	var b strings.Builder
	_ = render.Explain(&b, h.told[i].trace, render.Style{}) // a Builder takes everything
	fmt.Fprintf(&b, "replay      %s\n\n", h.replayed(h.told[i].path))
	return b.String()
}

// replayed is the command that shows a finding again: by its trace, or by the search if that could
// not be written.
func (h *hunt) replayed(path string) string {
	if path == "" {
		return h.again()
	}
	return h.name + " replay " + wording.Shell(path)
}

// announce tells GitHub Actions of the search.
func (h *hunt) announce(o *outcome) error {
	if h.github == nil {
		return nil
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "## %s\n\n**%s**%s\n\n", render.EscapeMarkdown(fmt.Sprintf("simrun %s %s --lock %s", h.id.Kind, h.id.Scenario, h.id.Lock)), o.result, render.EscapeMarkdown(h.meaning(o)))
	if len(o.Troubles) > 0 { // the others are in the log
		t := &o.Troubles[0]
		h.github.Annotate(h.app.err, ci.Annotation{Level: ci.Error, Title: fmt.Sprintf("%s under %s: %s", h.id.Lock, h.id.Scenario, t.Kind), Message: t.Reason + "\n" + h.again()})
		page.WriteString(causes.Fenced(causes.TroubleText(h.id.Lock, h.id.Scenario, t)))
	}
	for _, s := range h.stories() {
		level := ci.Error
		if s.Trace.Limit {
			level = ci.Warning
		}
		replay := h.replayed(s.Path)
		h.github.Annotate(h.app.err, ci.Annotation{
			Level: level, Title: fmt.Sprintf("%s under %s: %s", h.id.Lock, h.id.Scenario, s.What()),
			Message: strings.Join(append(s.Short(h.id.Lock), replay), "\n"),
		})
		s.Markdown(&page, h.id.Lock, replay)
	}
	if code := codeOf(o.result); code == exitInconclusive {
		h.github.Annotate(h.app.err, ci.Annotation{Level: ci.Error, Title: fmt.Sprintf("%s under %s: %s", h.id.Lock, h.id.Scenario, o.result), Message: strings.TrimLeft(h.meaning(o), ":, ")})
	}
	page.WriteString(causes.Fenced("again: " + h.again()))
	return h.github.Summarize(page.String())
}

// suite is the report of the matrix: a case for each cell.
func (m *matrixReport) suite(began time.Time) *ci.Suite {
	s := &ci.Suite{Name: "simrun matrix", Package: "matrix", Out: m.verdict() + "\n"}
	if !m.Stable {
		s.Began, s.Took = began, m.elapsed
	}
	s.Properties = []ci.SuiteProperty{{Name: "--runs", Value: fmt.Sprint(m.Runs)}, {Name: "--seed", Value: fmt.Sprint(m.Seed)}, {Name: "the version", Value: m.versions().String()}}
	for _, g := range m.Groups {
		for _, r := range g.Rows {
			for _, c := range r.Cells {
				s.Cases = append(s.Cases, cellCase(c))
			}
		}
	}
	return s
}

// cellCase says how a cell came out, compared with what is expected of it.
func cellCase(c *matrix.Cell) ci.Case {
	one := ci.Case{Class: c.Lock.ID, Name: c.Scenario.ID}
	list := c.Problems()
	switch {
	case c.Expected.Except != "":
		one.Came, one.Kind, one.Message = ci.Skipped, string(matrix.NotApplicable), c.Expected.Except
	case c.Summary == nil || len(list) == 0 && c.Summary.Interrupted:
		one.Came, one.Kind, one.Message = ci.Skipped, string(matrix.NotSearched), "the search was interrupted"
	}
	if one.Came != ci.Passed || len(list) == 0 {
		return one
	}
	first := list[0]
	one.Kind, one.Message = first.Kind, first.Text
	switch {
	case first.Unlike():
		one.Came = ci.Failed
	case first.Kind == explore.Vacuous:
		one.Came = ci.Skipped
	default:
		one.Came = ci.Broken
	}
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "%s\n", p.Text)
	}
	for i := range c.Findings {
		if f := &c.Findings[i]; slices.ContainsFunc(f.Shows, func(v model.Violation) bool { return !c.Expected.Allows(v) }) {
			b.WriteString("\n")
			_ = render.Explain(&b, f.Trace, render.Style{}) // a Builder takes everything
		}
	}
	one.Text = b.String()
	return one
}

// announce tells GitHub Actions of the matrix.
func (m *matrixReport) announce() error {
	if m.github == nil {
		return nil
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "## simrun matrix\n\n**%s**\n\n", render.EscapeMarkdown(m.verdict()))
	for _, c := range m.Cells() {
		for _, p := range c.Problems() {
			m.github.Annotate(m.err, ci.Annotation{Level: ci.Error, Title: fmt.Sprintf("%s under %s: %s", c.Lock.ID, c.Scenario.ID, p.Kind), Message: p.Text})
			fmt.Fprintf(&page, "- %s\n", render.EscapeMarkdown(p.Text))
		}
	}
	plain := *m
	var table bytes.Buffer
	base := *m.app
	base.out = &table
	plain.app = &base
	plain.table(paint{})
	page.WriteString("\n" + causes.Fenced(table.String()))
	return m.github.Summarize(page.String())
}
