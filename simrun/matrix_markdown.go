package simrun

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/model"
)

// markdown writes the expectations as a table: the letters of required violations, bold
// for faults of the lock. Violations that are only allowed are shown in parentheses: faults
// in all cells, limits in cells that require nothing.
func (m *matrixReport) markdown(w io.Writer) {
	heads, rule := "|", "|---|"
	for _, s := range m.Columns {
		heads += " | " + s.ID
		rule += "---|"
	}
	fmt.Fprintf(w, "%s |\n%s\n", heads, rule)
	used := map[string]bool{}
	for _, f := range m.Groups {
		fmt.Fprintf(w, "| *%s* |%s\n", f.Title, strings.Repeat(" |", len(m.Columns)))
		for _, r := range f.Rows {
			fmt.Fprintf(w, "| `%s` |", r.Lock.ID)
			for _, c := range r.Cells {
				fmt.Fprintf(w, " %s |", cellMarkdown(c, used))
			}
			fmt.Fprintln(w)
		}
	}
	var words []string
	for _, p := range m.Among(used) {
		words = append(words, fmt.Sprintf("%s: %s (`%s`)", p.Letter, p.Legend, p.ID))
	}
	fmt.Fprintf(w, "\n%s.\n", strings.Join(words, "; "))
	if with := m.settingsText(); with != "" {
		fmt.Fprintf(w, "\n%s: %s.\n", settingsMark, with)
	}
}

// cellMarkdown returns the text of the cell. It adds the properties of its letters to used.
func cellMarkdown(c *matrix.Cell, used map[string]bool) string {
	e := &c.Expected
	if e.Except != "" {
		return "–"
	}
	// Faults come first, in bold; then limits and weak properties.
	lettersOf := func(list []model.Violation) string {
		letter := func(excused bool) func(model.Violation, string) string {
			return func(v model.Violation, l string) string {
				if matrix.Excused(v) != excused {
					return ""
				}
				used[v.Property] = true
				return l
			}
		}
		faults, others := c.Letters(list, letter(false)), c.Letters(list, letter(true))
		if faults != "" {
			faults = "**" + faults + "**"
		}
		return strings.TrimSpace(faults + " " + others)
	}
	var words []string
	may := e.May
	if must := lettersOf(e.Must); must != "" {
		words = append(words, must)
		may = slices.DeleteFunc(slices.Clone(may), func(v model.Violation) bool { return matrix.Excused(v) || slices.Contains(e.Must, v) })
	}
	if may := lettersOf(may); may != "" {
		words = append(words, "("+may+")")
	}
	if e.Undecided {
		words = append(words, "?")
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, " ") + withSettings(c)
}
