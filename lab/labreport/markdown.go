package labreport

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Markdown writes the report as a section of a page: the question, a table of all figures beside published ones and those
// on real servers, the claims, the notes and the command.
func (r *Report) Markdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## %s\n\n%s\n", r.Experiment, r.Question)
	if r.Source != "" {
		fmt.Fprintf(&b, "\nPublished: %s\n", r.Source)
	}
	for i := range r.Tables {
		r.Tables[i].markdown(&b)
	}
	if len(r.Claims) > 0 {
		b.WriteString("\n| claim | holds in |\n|---|---:|\n")
	}
	for _, c := range r.Claims {
		text := c.Sentence
		if c.Note != "" {
			text += " " + c.Note
		}
		fmt.Fprintf(&b, "| %s | %d of %d |\n", cell(text), c.Holds, c.Of)
	}
	if len(r.Leaders) > 0 {
		b.WriteString("\n### The best at each measure\n\n")
		if err := r.LeadersTable(&b); err != nil {
			return err
		}
	}
	if len(r.Notes) > 0 {
		b.WriteByte('\n')
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	fmt.Fprintf(&b, "\n```\n%s\n```\n", r.Command)
	_, err := w.Write(b.Bytes())
	return err
}

// kind is a column of figures of one kind.
type kind struct {
	title string
	text  func(Figure) string // empty if there is no such figure
}

// kinds are the columns of a table on a page. The simulated figure is always present, the others if the table has one.
var kinds = []kind{
	{"document", func(f Figure) string { return orEmpty(f.Published) }},
	{"simulated", func(f Figure) string { return Number(f.Median) }},
	{"95 % interval", Figure.Interval},
	{"to the document's", func(f Figure) string { return f.Ratio(f.Published) }},
	{"simulated over loopback", func(f Figure) string { return orEmpty(f.Alike) }},
	{"real", func(f Figure) string { return orEmpty(f.Real) }},
	{"simulated to real", Figure.RealRatio},
}

// markdown writes a line for each row and measure.
func (t *Table) markdown(b *bytes.Buffer) {
	shown := t.kinds()
	fmt.Fprintf(b, "\n### %s\n\n| %s | measure |", t.Title, t.What)
	for _, k := range shown {
		fmt.Fprintf(b, " %s |", k.title)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---:|", len(shown)) + "\n")
	for _, row := range t.Rows {
		name := row.Name
		for i, f := range row.Cells {
			measure := t.Columns[i].Name
			if unit := t.Columns[i].Unit; unit != "" {
				measure += " (" + unit + ")"
			}
			fmt.Fprintf(b, "| %s | %s |", cell(name), cell(measure))
			name = ""
			for _, k := range shown {
				fmt.Fprintf(b, " %s |", k.text(f))
			}
			b.WriteByte('\n')
		}
	}
}

// kinds returns the kinds of which the table has a figure.
func (t *Table) kinds() (list []kind) {
	for _, k := range kinds {
		if t.has(k) {
			list = append(list, k)
		}
	}
	return list
}

func (t *Table) has(k kind) bool {
	for _, row := range t.Rows {
		for _, f := range row.Cells {
			if k.text(f) != "" {
				return true
			}
		}
	}
	return false
}

// orEmpty returns a figure as text, empty if there is none.
func orEmpty(x float64) string {
	if !known(x) {
		return ""
	}
	return Number(x)
}

// cell returns a text for a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
