package simrun

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/internal/report"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

var (
	//go:embed matrix/page.html
	matrixHTML string
	//go:embed matrix/page.css
	matrixCSS string

	matrixTemplate = template.Must(template.New("matrix").Parse(matrixHTML))
)

// matrixPage is the data of the page's template. The page has no script: a cell links to its section, and only the section
// that is the link's target is shown.
type matrixPage struct {
	Policy          string
	Style           template.CSS
	Defs            template.HTML
	Good            bool
	Verdict         string
	Versions, Again string
	Scenarios       []*cell.Scenario
	Families        []pageFamily
	Standings       []pageMark
	Letters         []pageLetter
	Unlike          []pageProblem
	Columns         int
	Budget          string
	// OtherSettings names the cells that were searched with other parameters.
	OtherSettings string
	// Confirmed explains the mark of confirmed cells, empty if there are none.
	Confirmed string
}

type pageFamily struct {
	Title string
	Rows  []pageRow
}

type pageRow struct {
	Lock, Summary, Reason string
	Cells                 []*pageCell
}

type pageMark struct{ Standing, Mark, Says string }

type pageLetter struct{ Letter, Says, Property, Asks string }

type pageProblem struct{ Cell, Text string }

// pageCell is a cell of the table and its section.
type pageCell struct {
	ID, Lock, Scenario, Summary string
	Standing, Mark, Says        string
	Letters                     template.HTML
	Hint                        string
	Problems                    []string
	Reason, Except, Again       string
	Schedules                   string
	Settings                    []traces.Parameter
	Happened                    []string
	Properties                  []pageProperty
	Findings                    []pageFinding
}

type pageProperty struct{ Property, Asks, Class, Found, Expected string }

type pageFinding struct {
	Title, Shrunk, Page string
	Limit               bool
	Figure              template.HTML
}

// page writes the page.
func (m *matrixReport) page(w io.Writer) error {
	style := render.FigureStyle() + matrixCSS
	p := matrixPage{
		Policy: render.Policy(style),
		Style:  template.CSS(style), Defs: render.FigureDefs(),
		Good: m.code() == exitNone, Verdict: m.verdict(), Versions: m.app.versions().String(),
		Again: m.again(), Scenarios: m.Columns, Columns: len(m.Columns) + 1, Budget: schedules(m.Runs),
	}
	for _, f := range m.Groups {
		family := pageFamily{Title: f.Title}
		for _, r := range f.Rows {
			row := pageRow{Lock: r.Lock.ID, Summary: r.Lock.Summary, Reason: r.Reason}
			for _, c := range r.Cells {
				cell, err := newPageCell(c, m.Page)
				if err != nil {
					return err
				}
				row.Cells = append(row.Cells, cell)
				for _, text := range cell.Problems {
					p.Unlike = append(p.Unlike, pageProblem{cell.ID, text})
				}
			}
			family.Rows = append(family.Rows, row)
		}
		p.Families = append(p.Families, family)
	}
	shown := m.Standings()
	for _, s := range matrix.Standings() {
		if shown[s] {
			p.Standings = append(p.Standings, pageMark{string(s), s.Mark(), s.Says()})
		}
	}
	for _, one := range m.Shown() {
		p.Letters = append(p.Letters, pageLetter{one.Letter, one.Legend, one.ID, one.About})
	}
	p.OtherSettings = m.settingsText()
	if m.anyConfirmed() {
		p.Confirmed = confirmedText
	}
	return matrixTemplate.Execute(w, p)
}

// again returns the command that makes the page again.
func (m *matrixReport) again() string {
	words := []string{m.name, "matrix", "--seed", fmt.Sprint(m.Seed), "--runs", fmt.Sprint(m.Runs)}
	for _, f := range []struct {
		name   string
		values []string
	}{{"--lock", m.Lock}, {"--scenario", m.Scenario}, {"--store", m.Store}, {"--topology", []string{m.Topology}}, {"--shard", []string{m.matrixCmd.Shard}}} {
		for _, value := range f.values {
			if value != "" {
				words = append(words, f.name, wording.Shell(value))
			}
		}
	}
	return strings.Join(append(words, "-o", wording.Shell(filepath.Base(m.Page))), " ")
}

// newPageCell returns the cell for the page at a path.
func newPageCell(c *matrix.Cell, at string) (*pageCell, error) {
	s := c.Standing()
	p := &pageCell{
		ID: c.Lock.ID + "." + c.Scenario.ID, Lock: c.Lock.ID, Scenario: c.Scenario.ID, Summary: c.Cell.Summary(),
		Standing: string(s), Mark: s.Mark(), Says: s.Says(), Reason: c.Why(), Except: c.Expected.Except, Again: c.Again(), Settings: c.Settings(),
	}
	for _, problem := range c.Problems() {
		p.Problems = append(p.Problems, problem.Text)
	}
	p.Hint = p.Lock + " under " + p.Scenario + ": " + p.Says
	if len(p.Settings) > 0 {
		p.Hint += ", with " + parameters(p.Settings)
	}
	if c.Summary == nil {
		return p, nil
	}
	p.Schedules = schedules(c.Summary.Schedules)
	p.Hint += ", in " + p.Schedules
	found := c.Violated()
	if len(found) > 0 {
		p.Hint += ": " + namesOf(found)
	}
	p.Letters = template.HTML(c.Letters(found, func(v model.Violation, letter string) string {
		if matrix.Excused(v) {
			return "<i>" + letter + "</i>"
		}
		return "<b>" + letter + "</b>"
	}) + unended(c) + marked(c))
	for _, f := range c.Findings {
		for i := range f.Trace.Confirmations {
			p.Hint += "; " + f.Trace.Property + ": " + f.Trace.Confirmations[i].String()
		}
	}
	for i, h := range c.Happenings() {
		p.Happened = append(p.Happened, fmt.Sprintf("In %s %s.", schedules(c.Summary.Happened[i]), h.Name))
	}
	if c.Summary.Undecided > 0 {
		p.Happened = append(p.Happened, fmt.Sprintf("%s could not be decided: %s", schedules(c.Summary.Undecided), c.Summary.FirstUndecided.Sentence))
	}
	p.properties(c)
	return p, p.findings(c, at)
}

// properties fills in the judged properties.
func (p *pageCell) properties(c *matrix.Cell) {
	for _, judged := range c.Usual() {
		for _, v := range c.Classes(judged.ID) {
			n := c.Summary.Violations[v]
			row := pageProperty{Property: v.String(), Asks: judged.About, Class: string(matrix.NoneFound), Found: "none found"}
			if n > 0 {
				row.Class = string(matrix.StandingOf(v))
				row.Found = fmt.Sprintf("violated in %s, first in %s%s", wording.Grouped(n), wording.Grouped(c.Summary.First[v].Schedule), c.CauseOf(v))
			}
			row.Expected = map[string]string{"must": "must be found", "may": "may be found", "never": "must not be found"}[c.Expected.Word(v)]
			p.Properties = append(p.Properties, row)
		}
	}
}

// findings fills in the counterexamples, each with its picture.
func (p *pageCell) findings(c *matrix.Cell, at string) error {
	for i := range c.Findings {
		f := &c.Findings[i]
		var figure bytes.Buffer
		if err := render.Figure(&figure, f.Trace, fmt.Sprintf("%s.%d", p.ID, i+1)); err != nil {
			return err
		}
		finding := pageFinding{
			Title: namesOf(f.Shows), Limit: f.Trace.Limit, Figure: template.HTML(figure.String()),
			Shrunk: fmt.Sprintf("schedule %s", wording.Grouped(f.Schedule)),
		}
		if f.Trace.Shrunk != nil {
			finding.Shrunk += ", " + shrinkText(f.Trace)
		}
		if f.Path != "" {
			finding.Page = report.Link(at, pageOf(f.Path))
		}
		p.Findings = append(p.Findings, finding)
	}
	return nil
}

// namesOf returns the names of violations; limits are marked unless all are limits.
func namesOf(list []model.Violation) string {
	var names []string
	mixed := slices.ContainsFunc(list, func(v model.Violation) bool { return !v.Limit })
	for _, v := range list {
		if v.Limit && !mixed {
			v.Limit = false
		}
		names = append(names, v.String())
	}
	return strings.Join(names, ", ")
}
