package labreport

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string

	styleCSS     = pageCSS + singledOut()
	pageTemplate = template.Must(template.New("report").Parse(pageHTML))
)

// page is the data of the page's template. The page has no script.
type page struct {
	*Report
	Policy string
	Style  template.CSS
	Holds  []pageClaim
	Data   []pageTable
	Shown  []pagePlot
}

type pageClaim struct {
	Claim
	Mark, Class, Says string
}

type pageTable struct {
	Table
	Heads []string
	Lines []pageRow
}

type pageRow struct {
	Name  string
	Cells []pageCell
}

// pageCell is a figure: the median, and the texts below it.
type pageCell struct{ Median, Interval, Published, PublishedRatio, Real, RealRatio string }

type pagePlot struct {
	Title        string
	Wide, Narrow template.HTML
	Legend       []pageLegend
	Points       grid
}

type pageLegend struct {
	Class  string
	Sample template.HTML
	Name   string
}

// Page writes the report as a page: one file without external references, whose content security policy admits only its
// own style sheet.
func (r *Report) Page(w io.Writer) error {
	sum := sha256.Sum256([]byte(styleCSS))
	p := page{
		Report: r, Style: template.CSS(styleCSS),
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
	}
	for _, c := range r.Claims {
		mark, code := c.mark()
		p.Holds = append(p.Holds, pageClaim{c, mark, map[string]string{good: "good", middle: "part", bad: "bad"}[code], c.Verdict()})
	}
	for i := range r.Tables {
		p.Data = append(p.Data, newPageTable(&r.Tables[i]))
	}
	for i := range r.Plots {
		p.Shown = append(p.Shown, newPagePlot(&r.Plots[i], i+1))
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		return fmt.Errorf("labreport: the page: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func newPageTable(t *Table) pageTable {
	p := pageTable{Table: *t}
	for _, c := range t.Columns {
		p.Heads = append(p.Heads, c.Title())
	}
	for _, row := range t.Rows {
		line := pageRow{Name: row.Name}
		for _, f := range row.Cells {
			cell := pageCell{Median: Number(f.Median), Interval: f.Interval()}
			if known(f.Published) {
				cell.Published, cell.PublishedRatio = Number(f.Published), f.Ratio(f.Published)
			}
			if known(f.Real) {
				cell.Real, cell.RealRatio = Number(f.Real), f.RealRatio()
			}
			line.Cells = append(line.Cells, cell)
		}
		p.Lines = append(p.Lines, line)
	}
	return p
}

func newPagePlot(p *Plot, n int) pagePlot {
	plot := pagePlot{
		Title: p.Title, Points: p.points(),
		Wide:   template.HTML(p.svg(wide, fmt.Sprintf("plot%d-wide", n))),
		Narrow: template.HTML(p.svg(narrow, fmt.Sprintf("plot%d-narrow", n))),
	}
	for i, s := range p.Series {
		plot.Legend = append(plot.Legend, pageLegend{fmt.Sprintf("n%d", i%legends), template.HTML(p.sample(i)), s.Name})
	}
	return plot
}

// singledOut returns the rules by which pointing at the legend's entry of a series leaves only that series in colour.
func singledOut() string {
	var b strings.Builder
	for n := range legends {
		fmt.Fprintf(&b, ".shown:has(li.n%[1]d:hover) .plot :is(.series, .band):not(.n%[1]d) { opacity: .12; }\n", n)
	}
	return b.String()
}
