package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/model"
)

// markdown writes the expectations as a table: the letters of required violations, bold
// for faults of the lock. Violations that are only allowed are shown in parentheses, in
// cells that require none.
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
	for _, l := range matrix.Letters() {
		if used[l.Property] {
			words = append(words, fmt.Sprintf("%s: %s (`%s`)", l.Letter, l.Says, l.Property))
		}
	}
	fmt.Fprintf(w, "\n%s.\n", strings.Join(words, "; "))
	if with := m.settingsText(); with != "" {
		fmt.Fprintf(w, "\n%s: %s.\n", settingsMark, with)
	}
}

// cellMarkdown is the text of the cell. It adds the properties of its letters to used.
func cellMarkdown(c *matrix.Cell, used map[string]bool) string {
	e := &c.Expected
	if e.Except != "" {
		return "–"
	}
	letter := func(v model.Violation, l string) string {
		used[v.Property] = true
		if !matrix.Excused(v) {
			return "**" + l + "**"
		}
		return l
	}
	var words []string
	if must := matrix.LettersOf(e.Must, letter); must != "" {
		words = append(words, must)
	} else if may := matrix.LettersOf(e.May, letter); may != "" {
		words = append(words, "("+may+")")
	}
	if e.Undecided {
		words = append(words, "?")
	}
	if len(words) == 0 {
		return ""
	}
	return strings.ReplaceAll(strings.Join(words, " "), "****", "") + marked(c)
}
