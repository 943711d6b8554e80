package labreport

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// line is a line of a cell, with its colour.
type line struct{ text, code string }

// lines returns the lines of a cell: the median, and below it what belongs to it.
func (f Figure) lines() []line {
	list := []line{{Number(f.Median), ""}}
	if text := f.Interval(); text != "" {
		list = append(list, line{text, faint})
	}
	if known(f.Published) {
		list = append(list, line{strings.TrimSpace("published " + Number(f.Published) + " " + f.Ratio(f.Published)), faint})
	}
	if known(f.Real) {
		list = append(list, line{strings.TrimSpace("real " + Number(f.Real) + " " + f.RealRatio()), faint})
	}
	return list
}

// heading returns the lines of a column's name, in at most the given width if words allow it.
func (c Column) heading(width int) []string {
	return wording.Wrap(c.Title(), width)
}

// Title returns the name with the unit.
func (c Column) Title() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + " (" + c.Unit + ")"
}

// table writes a table, in parts that fit the width if all columns together do not.
func (t *texter) table(table *Table) {
	fmt.Fprintf(&t.out, "\n%s\n", t.paint(bold, table.Title))
	names := utf8.RuneCountInString(table.What)
	for _, row := range table.Rows {
		names = max(names, utf8.RuneCountInString(row.Name))
	}
	widths := make([]int, len(table.Columns))
	for i := range table.Columns {
		widths[i] = table.width(i)
	}
	for from := 0; from < len(widths); {
		to, all := from, 2+names
		for to < len(widths) && (to == from || all+gap+widths[to] <= t.Width) {
			all += gap + widths[to]
			to++
		}
		if from > 0 {
			t.out.WriteByte('\n')
		}
		t.part(table, names, widths, from, to)
		from = to
	}
}

// gap is the space between columns.
const gap = 3

// width returns the width of a column.
func (t *Table) width(i int) (width int) {
	for _, row := range t.Rows {
		for _, l := range row.Cells[i].lines() {
			width = max(width, utf8.RuneCountInString(l.text))
		}
	}
	width = max(width, 9)
	for _, l := range t.Columns[i].heading(width) {
		width = max(width, utf8.RuneCountInString(l))
	}
	return width
}

// part writes some of the columns.
func (t *texter) part(table *Table, names int, widths []int, from, to int) {
	var head [][]line
	for i := from; i < to; i++ {
		var cell []line
		for _, text := range table.Columns[i].heading(widths[i]) {
			cell = append(cell, line{text, faint})
		}
		head = append(head, cell)
	}
	t.row(table.What, faint, names, head, widths[from:to])
	for _, row := range table.Rows {
		var cells [][]line
		for i := from; i < to; i++ {
			cells = append(cells, row.Cells[i].lines())
		}
		t.row(row.Name, bold, names, cells, widths[from:to])
	}
}

// row writes cells of several lines side by side.
func (t *texter) row(name, code string, names int, cells [][]line, widths []int) {
	height := 1
	for _, c := range cells {
		height = max(height, len(c))
	}
	for n := range height {
		text := strings.Repeat(" ", 2+names)
		if n == 0 {
			text = "  " + t.paint(code, name) + strings.Repeat(" ", names-utf8.RuneCountInString(name))
		}
		for i, c := range cells {
			l := line{}
			if n < len(c) {
				l = c[n]
			}
			text += strings.Repeat(" ", gap+widths[i]-utf8.RuneCountInString(l.text)) + t.paint(l.code, l.text)
		}
		t.out.WriteString(strings.TrimRight(text, " ") + "\n")
	}
}
