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
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// This file reports the findings of a command to continuous integration: JUnit's XML by --junit, and
// in a step of GitHub Actions annotations, on standard error, and a summary.

// clearJUnit removes the report of an earlier command, if a file is named, so that it cannot be mistaken for this one's,
// however this command ends.
func clearJUnit(path string) error {
	info, err := os.Lstat(path)
	if path == "" || err != nil || info.Mode()&(os.ModeType&^os.ModeSymlink) != 0 {
		return nil // there is none, or it has no content
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

// suite returns the report of the search: a case for each property, and one for the search itself. That is the last,
// unless unfinished runs may hide violations.
func (h *session) suite(o *outcome, began time.Time) *ci.Suite {
	s := &ci.Suite{Name: "simrun " + h.id.Kind, Package: h.id.Scenario + "." + h.id.Lock, Out: "again: " + h.again() + "\n"}
	for _, one := range o.notSearched {
		s.Out += causes.NotSearched(one) + "\n"
	}
	if !h.Stable {
		s.Began, s.Took = began, o.elapsed
	}
	for _, p := range h.id.settings() {
		s.Properties = append(s.Properties, ci.SuiteProperty{Name: p.Name, Value: p.Value})
	}
	search := ci.Case{Class: s.Package, Name: "search"}
	why := strings.TrimLeft(h.meaning(o), ":, ")
	switch {
	case len(o.Troubles) > 0:
		t := &o.Troubles[max(0, slices.IndexFunc(o.Troubles, func(t explore.Trouble) bool { return !t.HidesNothing() }))]
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
	for _, id := range h.cell.Judged() {
		c := ci.Case{Class: s.Package, Name: id}
		h.propertyCase(&c, o, search)
		s.Cases = append(s.Cases, c)
	}
	at := len(s.Cases)
	if slices.ContainsFunc(o.Troubles, func(t explore.Trouble) bool { return !t.HidesNothing() }) {
		at = 0
	}
	s.Cases = slices.Insert(s.Cases, at, search)
	return s
}

// cut returns why a search with findings is not complete, empty if it is.
func (h *session) cut(o *outcome) string {
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

// propertyCase returns the result for a property, where search is the case of the search itself. A property passes only if
// it was decided in every schedule of a complete search.
func (h *session) propertyCase(c *ci.Case, o *outcome, search ci.Case) {
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
		if code := h.codeOf(v); code != "" && !strings.Contains(c.Message, ", at ") {
			c.Message += ", at " + code
		}
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

// codeOf returns the line of the lock's code that shows a violation, empty if there is none.
func (h *session) codeOf(v model.Violation) string {
	i := slices.IndexFunc(h.found, func(f finding) bool { return f.Trace.Violation() == v })
	if i < 0 {
		return ""
	}
	return story.Code(h.found[i].Trace)
}

// storyOf returns the whole story of a violation, with the command that replays it.
func (h *session) storyOf(v model.Violation) string {
	i := slices.IndexFunc(h.found, func(f finding) bool { return f.Trace.Violation() == v })
	if i < 0 {
		return "again: " + h.again() + "\n"
	}
	var b strings.Builder
	_ = render.Explain(&b, h.found[i].Trace, render.Style{Verbose: true}) // a Builder takes everything
	fmt.Fprintf(&b, "replay      %s\n\n", h.replayed(h.found[i].path))
	return b.String()
}

// replayed returns the command that shows a finding again: by its trace, or by the search if the trace could not be
// written.
func (h *session) replayed(path string) string {
	if path == "" {
		return h.again()
	}
	return h.name + " replay " + wording.ShellPath(path)
}

// announce reports the search to GitHub Actions.
func (h *session) announce(o *outcome) error {
	if h.github == nil {
		return nil
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "## %s\n\n**%s**%s\n\n", wording.Markdown(fmt.Sprintf("simrun %s %s --%s %s", h.id.Kind, h.id.Scenario, h.cell.Noun(), h.id.Lock)), o.result, wording.Markdown(h.meaning(o)))
	for _, one := range o.notSearched {
		h.github.Annotate(wording.Data(h.app.err), ci.Annotation{Level: ci.Warning, Title: fmt.Sprintf("%s under %s: not searched", h.id.Lock, h.id.Scenario), Message: one})
		page.WriteString(wording.Markdown(causes.NotSearched(one)) + "\n\n")
	}
	h.announceTrouble(&page, o, false)
	for _, s := range h.stories() {
		level := ci.Error
		if s.Trace.Limit {
			level = ci.Warning
		}
		replay := h.replayed(s.Path)
		file, line := ci.CodeAt(".", story.Code(s.Trace))
		h.github.Annotate(wording.Data(h.app.err), ci.Annotation{
			Level: level, File: file, Line: line, Title: fmt.Sprintf("%s under %s: %s", h.id.Lock, h.id.Scenario, s.What()),
			Message: strings.Join(append(s.Short(h.id.Lock), replay), "\n"),
		})
		s.Markdown(&page, h.id.Lock, replay)
	}
	h.announceTrouble(&page, o, true)
	if code := recorded.CodeOf(o.result); code == exitInconclusive {
		h.github.Annotate(wording.Data(h.app.err), ci.Annotation{Level: ci.Error, Title: fmt.Sprintf("%s under %s: %s", h.id.Lock, h.id.Scenario, o.result), Message: strings.TrimLeft(h.meaning(o), ":, ")})
	}
	page.WriteString(wording.Fenced("text", "again: "+h.again()) + "\n")
	return h.github.Summarize(page.String())
}

// announceTrouble reports the first run that did not finish, or that hides no finding. The others are in the log.
func (h *session) announceTrouble(page *bytes.Buffer, o *outcome, last bool) {
	i := slices.IndexFunc(o.Troubles, func(t explore.Trouble) bool { return t.HidesNothing() == last })
	if i < 0 {
		return
	}
	t := &o.Troubles[i]
	h.github.Annotate(wording.Data(h.app.err), ci.Annotation{Level: ci.Error, Title: fmt.Sprintf("%s under %s: %s", h.id.Lock, h.id.Scenario, t.Kind), Message: t.Reason + "\n" + h.again()})
	page.WriteString(wording.Fenced("text", causes.TroubleText(h.id.Lock, h.id.Scenario, t)) + "\n")
}
