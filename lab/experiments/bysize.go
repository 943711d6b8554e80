package experiments

import (
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
)

// bySize are results by a way of doing something, and by a size, such as the number of clients: each way is a row, each
// size a column. The variants are in the order of the rows.
type bySize struct {
	Results
	// what is the noun of the rows, and one that of the sizes.
	what, one string
	rows      []string
	sizes     []int
}

// upTo returns the sizes that are not larger than most.
func upTo(sizes []int, most int) (list []int) {
	for _, n := range sizes {
		if n <= most {
			list = append(list, n)
		}
	}
	return list
}

// at returns the index of the variant of a row and a size, by their indexes.
func (b bySize) at(row, size int) int { return row*len(b.sizes) + size }

// last returns the index of the largest size.
func (b bySize) last() int { return len(b.sizes) - 1 }

// number returns a size with the word for it.
func (b bySize) number(size int) string { return wording.Count(b.sizes[size], b.one) }

// table returns a table with a row for each way and a column for each size.
func (b bySize) table(title, unit string, of func(*lab.Sample) float64) labreport.Table {
	t := labreport.Table{Title: title, What: b.what}
	for size := range b.sizes {
		t.Columns = append(t.Columns, labreport.Column{Name: b.number(size), Unit: unit})
	}
	for i, name := range b.rows {
		row := labreport.Row{Name: name}
		for j := range b.sizes {
			row.Cells = append(row.Cells, b.Figure(b.at(i, j), of))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// plot returns a plot with a line for each way over the sizes.
func (b bySize) plot(title, axis, unit string, of func(*lab.Sample) float64) labreport.Plot {
	p := labreport.Plot{
		Title: title, Kind: labreport.Lines,
		X: labreport.Axis{Name: b.one + "s", Log: true}, Y: labreport.Axis{Name: axis, Unit: unit, Log: true},
	}
	for i, name := range b.rows {
		series := labreport.Series{Name: name}
		for j, n := range b.sizes {
			f := b.Figure(b.at(i, j), of)
			series.Points = append(series.Points, labreport.Point{X: float64(n), Y: f.Median, Low: f.Low, High: f.High})
		}
		p.Series = append(p.Series, series)
	}
	return p
}
