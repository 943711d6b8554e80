package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/model"
)

// text prints the table, what it says, and what is not as expected.
func (m *matrix) text() {
	p := painter(m.out)
	fmt.Fprintf(m.out, "%s  %s of each cell or more, seed %d\n\n", p.bold("matrix"), schedules(m.Runs), m.Seed)
	grid := m.grid(p)
	widths := make([]int, len(m.scenarios)+1)
	for _, row := range grid {
		for i, w := range row {
			widths[i] = max(widths[i], w.width())
		}
	}
	for _, row := range grid {
		var line strings.Builder
		for i, w := range row {
			line.WriteString(w.shown)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", 1+widths[i]-w.width()))
			}
		}
		fmt.Fprintln(m.out, strings.TrimRight(line.String(), " "))
	}
	m.legend(p)
	m.unlike(p)
}

// word is a word of the table, with colour and without.
type word struct{ plain, shown string }

func (w word) width() int { return utf8.RuneCountInString(w.plain) }

func plainly(s string) word { return word{s, s} }

// grid is the table in words: the heads of its columns, and a line for each
// family and for each lock.
func (m *matrix) grid(p paint) (grid [][]word) {
	heads := make([][]string, len(m.scenarios))
	height := 0
	for i, s := range m.scenarios {
		heads[i] = pieces(s.ID)
		height = max(height, len(heads[i]))
	}
	for i := range height {
		line := []word{{}}
		for _, h := range heads {
			piece := ""
			if i < len(h) {
				piece = h[i]
			}
			line = append(line, word{piece, p.bold(piece)})
		}
		grid = append(grid, line)
	}
	for _, f := range m.families {
		grid = append(grid, []word{}, []word{{"", p.faint(f.title)}})
		for _, r := range f.rows {
			line := []word{plainly("  " + r.lock.ID)}
			for _, c := range r.cells {
				line = append(line, c.word(p))
			}
			grid = append(grid, line)
		}
	}
	return grid
}

// pieces breaks an id at its hyphens.
func pieces(id string) []string {
	return strings.SplitAfter(id, "-")
}

// word is the cell: its mark and the letters of what was found, faults first, then
// the limits behind a mark of their own. What is not as expected has an exclamation
// mark.
func (c *matrixCell) word(p paint) word {
	paints := map[standing]func(string) string{standsNone: p.green, standsFault: p.red, standsLimit: p.yellow, standsUndecided: p.yellow}
	plain, shown := "", ""
	add := func(s standing, text string) {
		plain += text
		if f := paints[s]; f != nil {
			text = f(text)
		}
		shown += text
	}
	letters := func(s standing) string {
		if c.sum == nil {
			return ""
		}
		return lettersOf(c.violated(), func(v model.Violation, letter string) string {
			if standingOf(v) != s {
				return ""
			}
			return letter
		})
	}
	stands := c.standing()
	add(stands, stands.mark()+letters(stands))
	if l := letters(standsLimit); l != "" && stands != standsLimit {
		add(standsLimit, standsLimit.mark()+l)
	}
	if stands != standsNone {
		add(standsNone, letters(standsNone)) // they are small letters, and need no mark
	}
	if c.sum != nil {
		add(stands, c.unended())
	}
	plain, shown = plain+c.marked(), shown+c.marked()
	if len(c.problems()) > 0 {
		plain, shown = plain+"!", shown+p.bold("!")
	}
	return word{plain, shown}
}

// unended is a question mark behind what was found, if there are runs as well that
// come to no end.
func (c *matrixCell) unended() string {
	if c.expected.Undecided && c.sum.Undecided > 0 && len(c.violated()) > 0 {
		return standsUndecided.mark()
	}
	return ""
}

// legend says what the marks and letters mean that are there.
func (m *matrix) legend(p paint) {
	fmt.Fprintln(m.out)
	shown := m.shownStandings()
	for _, s := range standings {
		if shown[s.standing] {
			fmt.Fprintf(m.out, "  %s  %s\n", s.mark, s.says)
		}
	}
	found := m.foundProperties()
	for _, l := range letters {
		if found[l.property] {
			fmt.Fprintf(m.out, "  %s  %s %s\n", l.letter, l.says, p.faint("("+l.property+")"))
		}
	}
	if m.code() == exitViolation {
		fmt.Fprintln(m.out, "  !  not as expected")
	}
	if with := m.settingsText(); with != "" {
		fmt.Fprintf(m.out, "  %s  %s\n", settingsMark, with)
	}
	fmt.Fprintln(m.out)
}

// shownStandings are those that cells have.
func (m *matrix) shownStandings() map[standing]bool {
	shown := map[standing]bool{}
	for _, c := range m.all() {
		shown[c.standing()] = true
		if c.sum != nil && c.standing() == standsFault && slices.ContainsFunc(c.violated(), func(v model.Violation) bool { return standingOf(v) == standsLimit }) {
			shown[standsLimit] = true
		}
		if c.sum != nil && c.unended() != "" {
			shown[standsUndecided] = true
		}
	}
	return shown
}

// foundProperties are those that some cell's letters show.
func (m *matrix) foundProperties() map[string]bool {
	found := map[string]bool{}
	for _, c := range m.all() {
		if c.sum != nil {
			lettersOf(c.violated(), func(v model.Violation, _ string) string { found[v.Property] = true; return "" })
		}
	}
	return found
}

// unlike says what is not as expected, and the result.
func (m *matrix) unlike(p paint) {
	for _, c := range m.all() {
		for _, problem := range c.problems() {
			fmt.Fprintf(m.out, "%s %s\n", p.red("!"), wrapped(problem.text))
		}
	}
	colour := p.green
	if m.code() != exitNone {
		colour = p.red
	}
	took := ""
	if !m.Stable {
		took = ", in " + span(m.elapsed)
	}
	fmt.Fprintf(m.out, "%s %s%s\n", p.bold("result"), colour(m.verdict()), took)
	fmt.Fprintf(m.out, "  where nothing was found, nothing was found in the schedules that were run: that is no proof\n")
	if m.Page != "" {
		fmt.Fprintf(m.out, "  page    %s: open it in a browser\n", m.Page)
	}
	if m.Out != "" {
		fmt.Fprintf(m.out, "  traces  in %s\n", m.Out)
	}
}
