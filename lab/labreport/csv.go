package labreport

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
)

// CSV writes the figures of all tables: a header, and a line for each table, row and column. Missing figures are empty.
// Numbers have a decimal point, and all their digits.
func (r *Report) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"experiment", "table", "variant", "measure", "unit", "median", "low", "high", "published", "real", "loopback"}) // Flush returns the error
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			for i, f := range row.Cells {
				c := t.Columns[i]
				line := []string{r.Experiment, t.Title, row.Name, c.Name, c.Unit}
				for _, x := range []float64{f.Median, f.Low, f.High, f.Published, f.Real, f.Alike} {
					line = append(line, exactly(x))
				}
				_ = out.Write(line) // Flush returns the error
			}
		}
	}
	out.Flush()
	return out.Error()
}

func exactly(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
