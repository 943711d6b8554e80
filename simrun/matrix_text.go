package simrun

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// text prints the table, its legend, and the problems.
func (m *matrixReport) text() {
	p := painter(m.out)
	m.table(p)
	m.unlike(p)
}

// table prints the table and its legend.
func (m *matrixReport) table(p wording.Paint) {
	which := ""
	if m.Topology != "" {
		which += ", topology=" + m.Topology
	}
	if m.Options.Shard.Of > 0 {
		which += fmt.Sprintf(", shard %s of the cells", m.Options.Shard)
	}
	fmt.Fprintf(m.out, "%s  %s of each cell or more, seed %d%s\n\n", p.Bold("matrix"), schedules(m.Runs), m.Seed, which)
	grid := m.grid(p)
	widths := make([]int, len(m.Columns)+1)
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
}

// word is a word of the table, with and without colour.
type word struct{ plain, shown string }

func (w word) width() int { return utf8.RuneCountInString(w.plain) }

func plainly(s string) word { return word{s, s} }

// grid returns the table in words: the heads of its columns, and a line per family and lock.
func (m *matrixReport) grid(p wording.Paint) (grid [][]word) {
	heads := make([][]string, len(m.Columns))
	height := 0
	for i, s := range m.Columns {
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
			line = append(line, word{piece, p.Bold(piece)})
		}
		grid = append(grid, line)
	}
	for _, f := range m.Groups {
		grid = append(grid, []word{}, []word{{"", p.Faint(f.Title)}})
		for _, r := range f.Rows {
			line := []word{plainly("  " + r.Lock.ID)}
			for _, c := range r.Cells {
				line = append(line, cellWord(c, p))
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

// cellWord returns the text of the cell: its mark and the letters of its findings, faults first, then limits after a mark
// of their own. A cell with problems ends with an exclamation mark.
func cellWord(c *matrix.Cell, p wording.Paint) word {
	paints := map[matrix.Standing]func(string) string{matrix.NoneFound: p.Green, matrix.Fault: p.Red, matrix.Limit: p.Yellow, matrix.Undecided: p.Yellow}
	plain, shown := "", ""
	add := func(s matrix.Standing, text string) {
		plain += text
		if f := paints[s]; f != nil {
			text = f(text)
		}
		shown += text
	}
	letters := func(s matrix.Standing) string {
		if c.Summary == nil {
			return ""
		}
		return c.Letters(c.Violated(), func(v model.Violation, letter string) string {
			if matrix.StandingOf(v) != s {
				return ""
			}
			return letter
		})
	}
	stands := c.Standing()
	add(stands, stands.Mark()+letters(stands))
	if l := letters(matrix.Limit); l != "" && stands != matrix.Limit {
		add(matrix.Limit, matrix.Limit.Mark()+l)
	}
	if stands != matrix.NoneFound {
		add(matrix.NoneFound, letters(matrix.NoneFound)) // they are small letters, and need no mark
	}
	if c.Summary != nil {
		add(stands, unended(c))
	}
	plain, shown = plain+marked(c), shown+marked(c)
	if len(c.Problems()) > 0 {
		plain, shown = plain+"!", shown+p.Bold("!")
	}
	return word{plain, shown}
}

// unended returns a question mark, for after the findings, if some runs do not finish.
func unended(c *matrix.Cell) string {
	if c.Unended() {
		return matrix.Undecided.Mark()
	}
	return ""
}

// legend explains the marks and letters of the table.
func (m *matrixReport) legend(p wording.Paint) {
	fmt.Fprintln(m.out)
	shown := m.Standings()
	for _, s := range matrix.Standings() {
		if shown[s] {
			fmt.Fprintf(m.out, "  %s  %s\n", s.Mark(), s.Says())
		}
	}
	for _, one := range m.Shown() {
		fmt.Fprintf(m.out, "  %s  %s %s\n", one.Letter, one.Legend, p.Faint("("+one.ID+")"))
	}
	if m.code() == exitViolation {
		fmt.Fprintln(m.out, "  !  not as expected")
	}
	if with := m.settingsText(); with != "" {
		fmt.Fprintf(m.out, "  %s  %s\n", settingsMark, with)
	}
	if m.anyConfirmed() {
		fmt.Fprintf(m.out, "  %s  %s\n", confirmedMark, confirmedText)
	}
	fmt.Fprintln(m.out)
}

// unlike prints the problems and the result.
func (m *matrixReport) unlike(p wording.Paint) {
	for _, c := range m.Cells() {
		for _, problem := range c.Problems() {
			fmt.Fprintf(m.out, "%s %s\n", p.Red("!"), broken(problem.Text, widthOf(m.out)))
		}
	}
	colour := p.Green
	if m.code() != exitNone {
		colour = p.Red
	}
	took := ""
	if !m.Stable {
		took = ", in " + span(m.elapsed)
	}
	fmt.Fprintf(m.out, "%s %s%s\n", p.Bold("result"), colour(m.verdict()), took)
	fmt.Fprintf(m.out, "  no finding means none in the schedules that were run; it is no proof\n")
	if m.Page != "" {
		fmt.Fprintf(m.out, "  page    %s: open it in a browser\n", m.Page)
	}
	if m.Out != "" {
		fmt.Fprintf(m.out, "  traces  in %s\n", m.Out)
	}
}

// verdict returns the last sentence: whether everything is as expected.
func (m *matrixReport) verdict() string {
	t := m.Totals()
	switch {
	case t.Cells == 0:
		return "vacuous: no scenario applies to these locks, so nothing was searched"
	case m.Interrupted:
		return fmt.Sprintf("interrupted: %s of %s searched, %s as expected", wording.Grouped(t.Searched), wording.GroupedCount(t.Cells, "cell"), wording.Grouped(t.AsExpected))
	case t.AsExpected == t.Cells:
		return fmt.Sprintf("as expected: %s, %s", wording.GroupedCount(t.Cells, "cell"), schedules(t.Schedules))
	}
	return fmt.Sprintf("not as expected: %s of %s, in %s", wording.Grouped(t.Cells-t.AsExpected), wording.GroupedCount(t.Cells, "cell"), schedules(t.Schedules))
}
