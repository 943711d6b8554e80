package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
)

// markdown writes what is expected as a table: letters of what must be found, bold
// if it is a fault of the lock. What may be found besides is shown, in parentheses,
// only where nothing must be.
func (m *matrix) markdown(w io.Writer) {
	heads, rule := "|", "|---|"
	for _, s := range m.scenarios {
		heads += " | " + s.ID
		rule += "---|"
	}
	fmt.Fprintf(w, "%s |\n%s\n", heads, rule)
	used := map[string]bool{}
	for _, f := range m.families {
		fmt.Fprintf(w, "| *%s* |%s\n", f.title, strings.Repeat(" |", len(m.scenarios)))
		for _, r := range f.rows {
			fmt.Fprintf(w, "| `%s` |", r.lock.ID)
			for _, c := range r.cells {
				fmt.Fprintf(w, " %s |", c.markdown(used))
			}
			fmt.Fprintln(w)
		}
	}
	var words []string
	for _, l := range letters {
		if used[l.property] {
			words = append(words, fmt.Sprintf("%s: %s (`%s`)", l.letter, l.says, l.property))
		}
	}
	fmt.Fprintf(w, "\n%s.\n", strings.Join(words, "; "))
	if with := m.settingsText(); with != "" {
		fmt.Fprintf(w, "\n%s: %s.\n", settingsMark, with)
	}
}

// markdown is the cell, and notes the properties whose letters it uses.
func (c *matrixCell) markdown(used map[string]bool) string {
	e := &c.expected
	if e.Except != "" {
		return "–"
	}
	letter := func(v model.Violation, l string) string {
		used[v.Property] = true
		if !excused(v) {
			return "**" + l + "**"
		}
		return l
	}
	var words []string
	if must := lettersOf(e.Must, letter); must != "" {
		words = append(words, must)
	} else if may := lettersOf(e.May, letter); may != "" {
		words = append(words, "("+may+")")
	}
	if e.Undecided {
		words = append(words, "?")
	}
	if len(words) == 0 {
		return ""
	}
	return strings.ReplaceAll(strings.Join(words, " "), "****", "") + c.marked()
}
