package envelope

import (
	"fmt"
	"io"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// The marks of a point in a text. Found and None are of points that were searched, the others of places between these.
const (
	foundMark    = "X"
	noneMark     = "o"
	vacuousMark  = "v"
	insideMark   = ":"
	formulaMark  = "-"
	textRows     = 17
	columnsWidth = 8
)

// Text prints the map for a terminal: the picture, its legend, the borders, and what the random points say.
func (m *Map) Text(w io.Writer, s *Search, rule *Rule, paint wording.Paint, paths map[*Result]string) {
	shown, _ := s.Axes() // the cells have been made before
	with := strings.Join(m.others(m.At, shown), " ")
	fmt.Fprintf(w, "%s by %s  %s\n\n", paint.Bold(m.Y.Title()), paint.Bold(m.X.Title()), paint.Faint(with))
	m.picture(w, rule, paint)
	m.legend(w, s, rule, paint)
	m.borders(w, rule, paths)
	for _, line := range m.Verdict(s, rule) {
		for _, part := range wording.Wrap(line, 96) {
			fmt.Fprintf(w, "  %s\n", part)
		}
	}
	fmt.Fprintln(w)
}

// picture prints the map with the highest values above.
func (m *Map) picture(w io.Writer, rule *Rule, paint wording.Paint) {
	searched := m.marks()
	for row := textRows - 1; row >= 0; row-- {
		y := m.Y.rounded(m.YBounds.Low + (m.YBounds.High-m.YBounds.Low)*int64(row)/(textRows-1))
		fmt.Fprintf(w, "  %8s |", m.Y.Text(y))
		for i := range m.Lines {
			mark := searched[[2]int{i, row}]
			if mark == "" {
				mark = m.between(i, row, y, rule)
			}
			fmt.Fprint(w, strings.Repeat(" ", columnsWidth-1), painted(mark, paint))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "  %8s +%s\n  %9s", "", strings.Repeat("-", columnsWidth*len(m.Lines)), "")
	for _, c := range m.Lines {
		fmt.Fprintf(w, "%*s", columnsWidth, m.X.Text(c.X))
	}
	fmt.Fprintf(w, "\n\n")
}

// painted returns a mark in its colour.
func painted(mark string, paint wording.Paint) string {
	switch mark {
	case foundMark, insideMark:
		return paint.Red(mark)
	case noneMark:
		return paint.Green(mark)
	case vacuousMark:
		return paint.Yellow(mark)
	}
	return mark
}

// marks returns the marks of the searched points by column and row. Where several points fall on one place, the gravest counts.
func (m *Map) marks() map[[2]int]string {
	marks := map[[2]int]string{}
	grave := map[string]int{foundMark: 3, vacuousMark: 2, noneMark: 1}
	for _, r := range m.Results() {
		at := [2]int{nearest(r.Point[m.X], m.XBounds, len(m.Lines)), nearest(r.Point[m.Y], m.YBounds, textRows)}
		mark := noneMark
		switch {
		case r.Found():
			mark = foundMark
		case r.Vacuous:
			mark = vacuousMark
		}
		if grave[mark] > grave[marks[at]] {
			marks[at] = mark
		}
	}
	return marks
}

// nearest returns the place of a value among n that are evenly spaced.
func nearest(v int64, b Bounds, n int) int {
	return int(((v-b.Low)*int64(n-1) + (b.High-b.Low)/2) / (b.High - b.Low))
}

// between returns the mark of a place that was not searched: the formula's border, or the side on which something is found.
func (m *Map) between(i, row int, y int64, rule *Rule) string {
	c := &m.Lines[i]
	if rule != nil && m.Y == Lease {
		if at := rule.Lease(m.point(c.X, y)); at >= m.YBounds.Low && at <= m.YBounds.High && nearest(at, m.YBounds, textRows) == row {
			return formulaMark
		}
	}
	if c.Everywhere || c.Exists && (c.LowFound() && y <= c.Found || !c.LowFound() && y >= c.Found) {
		return insideMark
	}
	return " "
}

// legend explains the marks.
func (m *Map) legend(w io.Writer, s *Search, rule *Rule, paint wording.Paint) {
	fmt.Fprintf(w, "  %s  searched: %s was violated\n", painted(foundMark, paint), s.named())
	fmt.Fprintf(w, "  %s  searched: none found in %s\n", painted(noneMark, paint), wording.GroupedCount(s.Runs, "schedule"))
	if m.Vacuous() > 0 {
		fmt.Fprintf(w, "  %s  searched: vacuous, since no fault struck a holder\n", painted(vacuousMark, paint))
	}
	if m.Any() {
		fmt.Fprintf(w, "  %s  not searched, and on the side of the findings if there is one border\n", painted(insideMark, paint))
	}
	if rule != nil && m.Y == Lease {
		fmt.Fprintf(w, "  %s  the formula: %s\n", formulaMark, rule.Text())
	}
	fmt.Fprintln(w)
}

// borders prints the values beside the border of each column.
func (m *Map) borders(w io.Writer, rule *Rule, paths map[*Result]string) {
	if !m.Any() {
		return
	}
	fmt.Fprintf(w, "  %-10s %10s %10s %10s  %s\n", m.X, "violated", "none at", "formula", "trace of the violation")
	for _, c := range m.Lines {
		found, none, formula, path := "-", "-", "-", ""
		switch {
		case c.Exists:
			found, none, path = m.Y.Text(c.Found), m.Y.Text(c.None), paths[c.Wrong]
		case c.Everywhere:
			found = "both ends"
		default:
			none = "both ends"
		}
		if rule != nil && m.Y == Lease {
			formula = Lease.Text(Lease.rounded(rule.Lease(m.point(c.X, 0))))
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-10s %10s %10s %10s  %s", m.X.Text(c.X), found, none, formula, path), " "))
	}
	fmt.Fprintln(w)
}

// Verdict returns what the points say about the map as a whole, a sentence each.
func (m *Map) Verdict(s *Search, rule *Rule) (list []string) {
	runs := wording.GroupedCount(s.Runs, "schedule")
	if !m.Any() {
		list = append(list, fmt.Sprintf("No border: none found in %s at any of %s.", runs, wording.GroupedCount(len(m.Results()), "point")))
	}
	for _, expected := range []bool{true, false} {
		if of, right := m.count(expected); of > 0 && m.Any() {
			what := "violated, away from the border on the side of the violations"
			if !expected {
				what = "without a violation, away from the border on the other side"
			}
			list = append(list, fmt.Sprintf("%d of %s %s.", right, wording.Count(of, "random point"), what))
		}
	}
	for _, c := range m.Wrong() {
		is := "violated"
		if c.Expected {
			is = "none found in " + runs
		}
		list = append(list, fmt.Sprintf("Not monotone at %s=%s %s=%s: %s, and its neighbours say otherwise.", m.Y, m.Y.Text(c.Point[m.Y]), m.X, m.X.Text(c.Point[m.X]), is))
	}
	for _, c := range m.Twisted() {
		list = append(list, fmt.Sprintf("Not monotone at %s=%s: the violations are on the other side of the border than elsewhere.", m.X, m.X.Text(c.X)))
	}
	if n := m.Vacuous(); n > 0 {
		list = append(list, fmt.Sprintf("%s vacuous: no fault struck a holder.", wording.GroupedCount(n, "point")))
	}
	for _, r := range m.Beyond(rule) {
		list = append(list, fmt.Sprintf("Beyond the formula: violated at %s=%s %s=%s. The formula does not hold for this lock, or the lock has a fault.",
			m.Y, m.Y.Text(r.Point[m.Y]), m.X, m.X.Text(r.Point[m.X])))
	}
	return list
}

// count returns the number of random points on a side, and how many of them are as the side is.
func (m *Map) count(expected bool) (of, right int) {
	for _, c := range m.Random {
		if c.Expected == expected {
			of++
			if c.Right() {
				right++
			}
		}
	}
	return of, right
}
