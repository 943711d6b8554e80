package sitepages

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/model"
)

// matrixData is the table of all locks and scenarios.
type matrixData struct {
	Columns   []matrixColumn `json:"columns"`
	Groups    []matrixGroup  `json:"groups"`
	Letters   []letter       `json:"letters"`
	Standings any            `json:"standings"`
}

type matrixColumn struct {
	ID       string `json:"id"`
	Topology string `json:"topology,omitempty"`
}

type matrixGroup struct {
	Store string      `json:"store"`
	Title string      `json:"title"`
	Rows  []matrixRow `json:"rows"`
}

type matrixRow struct {
	Lock  string       `json:"lock"`
	Cells []matrixCell `json:"cells"`
}

// matrixCell is a cell: its standing, and the letters of violations that must be found and of those that may be.
type matrixCell struct {
	Standing standing `json:"standing"`
	Must     string   `json:"must,omitempty"`
	May      string   `json:"may,omitempty"`
}

type letter struct {
	Letter   string `json:"letter"`
	Says     string `json:"says"`
	Property string `json:"property"`
	Weak     bool   `json:"weak,omitempty"`
}

// matrices writes the table. The layouts show it whole, or the part of a store.
func (s *site) matrices() error {
	m := matrixData{Standings: standings}
	for _, c := range s.columns {
		m.Columns = append(m.Columns, matrixColumn{c.ID, c.topology})
	}
	used := map[string]bool{}
	for _, r := range s.rows {
		store := r.lock.Store.ID()
		if last := len(m.Groups) - 1; last < 0 || m.Groups[last].Title != r.family {
			m.Groups = append(m.Groups, matrixGroup{Store: store, Title: r.family})
		}
		one := matrixRow{Lock: r.lock.ID}
		for _, c := range r.cells {
			one.Cells = append(one.Cells, newMatrixCell(c, used))
		}
		g := &m.Groups[len(m.Groups)-1]
		g.Rows = append(g.Rows, one)
	}
	for _, p := range checker.Properties() {
		if used[p.ID] {
			m.Letters = append(m.Letters, letter{p.Letter, p.Legend, p.ID, p.Weak})
		}
	}
	return s.data("matrix", m)
}

// newMatrixCell returns a cell of the table. It adds the properties of its letters to used.
func newMatrixCell(c *matrix.Cell, used map[string]bool) matrixCell {
	m := matrixCell{Standing: standingOf(c)}
	if c == nil {
		return m
	}
	letters := func(list []model.Violation) string {
		of := func(excused bool) string {
			return c.Letters(list, func(v model.Violation, l string) string {
				if matrix.Excused(v) != excused {
					return ""
				}
				used[v.Property] = true
				return l
			})
		}
		faults, others := of(false), of(true)
		if faults != "" {
			faults = "!" + faults // the layout sets it in bold
		}
		return strings.TrimSpace(faults + " " + others)
	}
	m.Must, m.May = letters(c.Expected.Must), letters(may(c))
	return m
}

// may returns the violations that may be found besides those that must: faults in all cells, limits where none must be found.
func may(c *matrix.Cell) []model.Violation {
	must := c.Expected.Must
	return slices.DeleteFunc(slices.Clone(c.Expected.May), func(v model.Violation) bool {
		return slices.Contains(must, v) || len(must) > 0 && matrix.Excused(v)
	})
}
