package labreport

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// Leader is the variant that is best at a measure in a setting: "with 64 contenders" fair has "fewest requests per
// acquisition", 3.
type Leader struct {
	Where  string `json:"where"`
	What   string `json:"what"`
	Name   string `json:"name"`
	Figure string `json:"figure"` // with its unit
}

// LeadersTable writes the leaders as a table of Markdown: a row for each measure, a column for each
// setting. It writes nothing if there are none.
func (r *Report) LeadersTable(w io.Writer) error {
	if len(r.Leaders) == 0 {
		return nil
	}
	var where, what []string
	cells := map[[2]string]string{}
	for _, l := range r.Leaders {
		if !slices.Contains(where, l.Where) {
			where = append(where, l.Where)
		}
		if !slices.Contains(what, l.What) {
			what = append(what, l.What)
		}
		cells[[2]string{l.What, l.Where}] = fmt.Sprintf("`%s` (%s)", l.Name, l.Figure)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(where, " | "), strings.Repeat("---|", len(where)))
	for _, m := range what {
		fmt.Fprintf(&b, "| %s |", m)
		for _, at := range where {
			if text := cells[[2]string{m, at}]; text != "" {
				fmt.Fprintf(&b, " %s |", text)
			} else {
				b.WriteString(" |")
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Remarks returns the leaders, a sentence for each setting, and the notes.
func (r *Report) Remarks() (list []string) {
	for i := 0; i < len(r.Leaders); {
		where := r.Leaders[i].Where
		var parts []string
		for ; i < len(r.Leaders) && r.Leaders[i].Where == where; i++ {
			l := r.Leaders[i]
			parts = append(parts, fmt.Sprintf("%s has the %s (%s)", l.Name, l.What, l.Figure))
		}
		list = append(list, fmt.Sprintf("With %s %s.", where, wording.And(parts)))
	}
	return append(list, r.Notes...)
}
