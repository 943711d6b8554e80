package report

import (
	"bytes"
	"cmp"
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string

	pageTemplate = template.Must(template.New("report").Parse(pageHTML))
	markTemplate = template.Must(template.New("mark").Parse("<title>{{.}}: </title>"))
)

// maxFigures is the maximum number of bytes of all figures of the page. Mails are limited to some ten million.
const maxFigures = 8 << 20

// page is the data of the template.
type page struct {
	Policy, Title, Verdict, Versions string
	Style                            template.CSS
	Defs                             template.HTML
	Tone                             string // of the verdict
	Causes                           []pageCause
	Scenarios                        []string
	Columns                          int
	Rows                             []pageRow
	Legend                           []standing
	Confirmed                        bool // some cell is
	Searches                         []pageSearch
	Vacuous                          []pageSearch
	NotSearched                      []Unsearched
	Notes                            []string
}

type pageCause struct {
	ID, Title, Class, Where, Lock string
	Home                          string // the package of a test, if others have tests of its name
	Limit                         bool
	First                         pageFinding
	Others                        []pageFinding
}

type pageFinding struct {
	ID, Title, Sentence, Found, Versions string
	Figure                               template.HTML
	File, Page, Replay, Note             string
	Name                                 string // of the file
	Parameters                           []string
}

type pageRow struct {
	Lock  string
	Cells []pageCell
}

type pageCell struct {
	Standing, Mark, Hint, Link string
	Confirmed                  bool // a counterexample was, on real servers
}

type pageSearch struct {
	ID, Lock, Scenario, Standing, Mark, Result, Meaning, How, Budget, Again string
	Settings                                                                []traces.Parameter
	Happened                                                                []pageHappening
	Missed                                                                  []string
	Violated                                                                []pageViolated
	Undecided                                                               string
	Troubles                                                                []string
}

type pageHappening struct {
	Text string
	None bool
}

type pageViolated struct{ Text, Link, Class string }

// Write writes the page. Text from traces and states is shown as text. The page's content security policy admits only its
// own style sheet.
func Write(w io.Writer, r *Report) error {
	style := render.FigureStyle() + pageCSS
	p := page{
		Policy: render.Policy(style),
		Style:  template.CSS(style), Defs: render.FigureDefs(),
		Title: wording.Printable(r.Title), Versions: wording.Printable(r.Versions),
	}
	for _, n := range r.Notes {
		p.Notes = append(p.Notes, wording.Printable(n))
	}
	found := causesOf(r.Findings)
	if err := p.causes(found); err != nil {
		return err
	}
	p.searches(r)
	p.Verdict, p.Tone = verdict(found, r.Searches)
	p.notSearched(r.NotSearched)
	return pageTemplate.Execute(w, p)
}

// notSearched adds the flaws that were not searched, once for each lock, and names them in the verdict.
func (p *page) notSearched(list []Unsearched) {
	var names []string
	for _, one := range list {
		one = Unsearched{wording.Printable(one.Lock), wording.Printable(one.What)}
		name := causes.Unsearched([]string{one.What})
		known := func(o Unsearched) bool { // of another scenario, with other values in it
			return o.Lock == one.Lock && causes.Unsearched([]string{o.What}) == name
		}
		if !slices.ContainsFunc(p.NotSearched, known) {
			p.NotSearched, names = append(p.NotSearched, one), append(names, one.What)
		}
	}
	if len(names) == 0 {
		return
	}
	p.Verdict += "; " + causes.Unsearched(names)
	if p.Tone == "good" {
		p.Tone = "mild"
	}
}

// Mark returns a text that is in every page with that title, and in no page with another one.
func Mark(title string) string {
	var b strings.Builder
	_ = markTemplate.Execute(&b, wording.Printable(title)) // a Builder takes everything
	return strings.TrimSuffix(b.String(), "</title>")
}

// causes fills in the findings. The first finding of every cause gets its figure before any other finding.
func (p *page) causes(list []*cause) error {
	room := maxFigures
	left := 0
	for i, c := range list {
		out := pageCause{
			ID: fmt.Sprintf("cause%d", i+1), Title: c.title(), Class: c.class(), Where: c.where(), Lock: wording.Printable(c.lock), Limit: c.rank == limitRank,
		}
		if slices.ContainsFunc(list, func(o *cause) bool { return o.lock == c.lock && o.home != c.home }) {
			out.Home = wording.Printable(c.home)
		}
		for n := range c.findings {
			f := newFinding(&c.findings[n], fmt.Sprintf("f%d.%d", i+1, n+1))
			if n == 0 {
				out.First = f
			} else {
				out.Others = append(out.Others, f)
			}
		}
		p.Causes = append(p.Causes, out)
	}
	draw := func(f *pageFinding, t *traces.Trace) error {
		if t.Trouble != nil {
			return nil // there are no events
		}
		var figure bytes.Buffer
		if err := render.Figure(&figure, t, "run"+f.ID); err != nil {
			return err
		}
		if room -= figure.Len(); room < 0 {
			left++
			return nil
		}
		f.Figure = template.HTML(figure.String())
		return nil
	}
	for i, c := range list {
		if err := draw(&p.Causes[i].First, c.findings[0].Trace); err != nil {
			return err
		}
	}
	for i, c := range list {
		for n := range p.Causes[i].Others {
			if err := draw(&p.Causes[i].Others[n], c.findings[n+1].Trace); err != nil {
				return err
			}
		}
	}
	if left > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s left out, since pictures take at most %d MiB of this page; simrun view draws them from their traces.",
			wording.GroupedCount(left, "picture")+" "+wording.Form(left, "is", "are"), maxFigures>>20))
	}
	return nil
}

func newFinding(f *Finding, id string) pageFinding {
	t := f.Trace
	out := pageFinding{
		ID: id, Sentence: sentence(t), Found: found(t), Versions: wording.Printable(t.Made.String()),
		File: f.File, Page: f.Page, Replay: f.Replay, Note: wording.Printable(f.Note),
		Title: wording.Printable(t.Scenario), Name: f.File,
	}
	if name, err := url.PathUnescape(f.File); err == nil {
		out.Name = wording.Printable(name)
	}
	if v := t.Violation(); v.Property != "" {
		out.Title = wording.Printable(v.String()) + " under " + out.Title
	}
	for _, p := range t.Parameters {
		out.Parameters = append(out.Parameters, wording.Printable(p.Name+"="+p.Value))
	}
	return out
}

// searches fills in the table and the list of searches.
func (p *page) searches(r *Report) {
	list := r.Searches
	for i := range list {
		if name := wording.Printable(list[i].Scenario); !slices.Contains(p.Scenarios, name) {
			p.Scenarios = append(p.Scenarios, name)
		}
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Search) int { return cmp.Compare(a.Lock, b.Lock) })
	shown := map[int]bool{}
	for i := range list {
		s := &list[i]
		at := s.standing()
		shown[at] = true
		one := p.search(s, fmt.Sprintf("s%d", i+1), standings[at])
		p.Searches = append(p.Searches, one)
		if len(one.Missed) > 0 {
			p.Vacuous = append(p.Vacuous, one)
		}
		if n := len(p.Rows); n == 0 || p.Rows[n-1].Lock != one.Lock {
			p.Rows = append(p.Rows, pageRow{Lock: one.Lock})
		}
	}
	for i, s := range standings {
		if shown[i] {
			p.Legend = append(p.Legend, s)
		}
	}
	for i := range p.Rows {
		for _, scenario := range p.Scenarios {
			c := p.cell(p.Rows[i].Lock, scenario)
			if c.Link != "" && confirmed(r.Findings, p.Rows[i].Lock, scenario) {
				c.Confirmed, p.Confirmed = true, true
				c.Hint += "; a counterexample was confirmed on real servers"
			}
			p.Rows[i].Cells = append(p.Rows[i].Cells, c)
		}
	}
	p.Columns = len(p.Scenarios) + 1
}

// confirmed reports whether a counterexample of a lock in a scenario was made to happen on real servers.
func confirmed(list []Finding, lock, scenario string) bool {
	return slices.ContainsFunc(list, func(f Finding) bool {
		of, _ := lockOf(f.Trace)
		return wording.Printable(of) == lock && wording.Printable(f.Trace.Scenario) == scenario && f.Trace.Confirmed()
	})
}

// cell returns the worst of the searches of a lock in a scenario.
func (p *page) cell(lock, scenario string) pageCell {
	for _, one := range standings {
		for i := range p.Searches {
			s := &p.Searches[i]
			if s.Lock == lock && s.Scenario == scenario && s.Standing == one.ID {
				return pageCell{Standing: one.ID, Mark: one.Mark, Hint: fmt.Sprintf("%s under %s: %s; %s", lock, scenario, one.Says, s.Budget), Link: "#" + s.ID}
			}
		}
	}
	return pageCell{}
}

func (p *page) search(s *Search, id string, at standing) pageSearch {
	out := pageSearch{
		ID: id, Lock: wording.Printable(s.Lock), Scenario: wording.Printable(s.Scenario), Standing: at.ID, Mark: at.Mark,
		Result: wording.Printable(string(s.Result)), Meaning: wording.Printable(s.Meaning), How: wording.Printable(s.How), Again: wording.Printable(s.Again),
		Settings: s.Settings, Budget: budget(s), Missed: s.missed(),
	}
	for _, h := range s.Happened {
		text := "in " + wording.GroupedCount(h.Schedules, "schedule") + " " + wording.Printable(h.Name)
		out.Happened = append(out.Happened, pageHappening{text, h.Schedules == 0})
	}
	for _, v := range s.Violated {
		class := "fault"
		if v.Limit {
			class = "limit"
		}
		text := wording.Printable(v.Violation.String())
		if v.Schedules > 0 {
			text += " in " + wording.GroupedCount(v.Schedules, "schedule")
		}
		out.Violated = append(out.Violated, pageViolated{Text: text, Link: p.linkTo(s, v), Class: class})
	}
	if s.Undecided > 0 {
		out.Undecided = wording.GroupedCount(s.Undecided, "schedule") + " could not be decided"
	}
	for _, t := range s.Troubles {
		out.Troubles = append(out.Troubles, wording.Printable(t))
	}
	return out
}

// budget describes how many schedules were run, and of how many.
func budget(s *Search) string {
	switch {
	case s.Result == NotApplicable:
		return "nothing was run"
	case s.Budget > s.Schedules:
		return fmt.Sprintf("%s of %s", wording.Grouped(s.Schedules), wording.GroupedCount(s.Budget, "schedule"))
	}
	return wording.GroupedCount(s.Schedules, "schedule")
}

// linkTo returns the link to the finding of a violation by a search's lock in its scenario.
func (p *page) linkTo(s *Search, v Violated) string {
	title := wording.Printable(v.Violation.String()) + " under " + wording.Printable(s.Scenario)
	for i := range p.Causes {
		c := &p.Causes[i]
		if c.Lock != wording.Printable(s.Lock) {
			continue
		}
		for _, f := range append([]pageFinding{c.First}, c.Others...) {
			if f.Title == title {
				return "#" + f.ID
			}
		}
	}
	return ""
}

// verdict describes the findings in a line, and how bad they are: bad, mild or good. It uses the findings and the results
// of the searches, whose findings may be missing here.
func verdict(causes []*cause, searches []Search) (text, tone string) {
	parts := ranked(causes, searches)
	var at [len(standings)]int
	schedules, vacuous := 0, 0
	for i := range searches {
		at[searches[i].standing()]++
		schedules += searches[i].Schedules
		if searches[i].Vacuous() {
			vacuous++
		}
	}
	switch {
	case len(parts) > 0:
		text = wording.And(parts)
	case schedules == 0:
		text = "nothing was run"
	default:
		text = "nothing found"
	}
	if len(searches) > 0 {
		text += fmt.Sprintf(", in %s of %s", wording.GroupedCount(schedules, "schedule"), count(len(searches), "search"))
	}
	if vacuous > 0 {
		text += fmt.Sprintf("; %d of them %s", vacuous, wording.Form(vacuous, "was vacuous", "were vacuous"))
	}
	if n := at[undecided]; n > 0 {
		text += fmt.Sprintf("; %d of them %s not decided, or did not finish", n, wording.Form(n, "was", "were"))
	}
	switch bad := slices.ContainsFunc(causes, func(c *cause) bool { return c.rank != limitRank }); {
	case bad || at[fault] > 0 || at[trouble] > 0:
		return text, "bad"
	case len(causes) > 0 || at[limit] > 0 || at[vacuousAt] > 0 || at[undecided] > 0 || at[noneFound] == 0:
		return text, "mild"
	}
	return text, "good"
}

// ranked describes the findings, the worst first: the causes of those present, and the searches with findings of which no
// trace is present.
func ranked(causes []*cause, searches []Search) (parts []string) {
	for rank, noun := range [...]string{"kind of run that did not finish", "cause of faults", "cause of limits"} {
		known, missing := 0, 0
		for _, c := range causes {
			if c.rank == rank {
				known++
			}
		}
		for i := range searches {
			s := &searches[i]
			here := func(c *cause) bool { return c.rank == rank && c.of(s) }
			if s.found()[rank] && !slices.ContainsFunc(causes, here) {
				missing++
			}
		}
		if known > 0 {
			parts = append(parts, count(known, noun))
		}
		if missing > 0 {
			parts = append(parts, fmt.Sprintf("%s in %s without a trace here", [...]string{"runs that did not finish", "faults", "limits"}[rank], count(missing, "search")))
		}
	}
	return parts
}

// count returns a number with a noun whose first word is put in the plural.
func count(n int, noun string) string {
	first, rest, _ := strings.Cut(noun, " ")
	if n != 1 {
		if strings.HasSuffix(first, "ch") {
			first += "e"
		}
		first += "s"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", n, first, rest))
}
