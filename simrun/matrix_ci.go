package simrun

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/ci"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// cellCase returns the result of a cell, compared with its expectations.
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

// suite returns the report of the matrix: a case for each cell.
func (m *matrixReport) suite(began time.Time) *ci.Suite {
	s := &ci.Suite{Name: "simrun matrix", Package: "matrix", Out: m.verdict() + "\n"}
	if !m.Stable {
		s.Began, s.Took = began, m.elapsed
	}
	s.Properties = []ci.SuiteProperty{{Name: "--runs", Value: fmt.Sprint(m.Runs)}, {Name: "--seed", Value: fmt.Sprint(m.Seed)}, {Name: "the version", Value: m.versions().String()}}
	for _, g := range m.Groups {
		for _, r := range g.Rows {
			for _, c := range r.Cells {
				if c.Elsewhere {
					continue // its own shard reports it
				}
				s.Cases = append(s.Cases, cellCase(c))
			}
		}
	}
	return s
}

// announce reports the matrix to GitHub Actions.
func (m *matrixReport) announce() error {
	if m.github == nil {
		return nil
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "## simrun matrix\n\n**%s**\n\n", wording.Markdown(m.verdict()))
	for _, c := range m.Cells() {
		for _, p := range c.Problems() {
			m.github.Annotate(wording.Data(m.err), ci.Annotation{Level: ci.Error, Title: fmt.Sprintf("%s under %s: %s", c.Lock.ID, c.Scenario.ID, p.Kind), Message: p.Text})
			fmt.Fprintf(&page, "- %s\n", wording.Markdown(p.Text))
		}
	}
	plain := *m
	var table bytes.Buffer
	base := *m.app
	base.out = &table
	plain.app = &base
	plain.table(wording.Paint{})
	page.WriteString("\n" + wording.Fenced("text", table.String()))
	return m.github.Summarize(page.String())
}
