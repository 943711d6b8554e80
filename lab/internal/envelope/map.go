package envelope

import (
	"context"
	"math/rand/v2"
	"slices"
)

// Plan is a map to make.
type Plan struct {
	Plane
	// At has the values of the axes that do not vary.
	At Point
	// X and Y are the bounds of the axes. Columns is the number of columns, at least 2.
	XBounds, YBounds Bounds
	Columns          int
	// Checks is the number of random points on each side of the border.
	Checks int
}

// steps is the number of steps of a vertical axis that a border is found to.
const steps = 64

// Within returns how far apart the values beside a border may be.
func (p *Plan) Within() int64 {
	return max((p.YBounds.High-p.YBounds.Low)/steps, kinds[p.Y].grain)
}

// point returns a point of the map.
func (p *Plan) point(x, y int64) Point { return p.At.With(p.X, x).With(p.Y, y) }

// Map is a map of the points in a plane.
type Map struct {
	Plan
	Lines []Column
	// Below is set if findings are below the border, and not above. It is set if there is no border.
	Below bool
	// Tried are all searched points of the columns, in order, and Random the random points that check them.
	Tried  []*Result
	Random []Check
}

// Column is what was found at one value of the horizontal axis.
type Column struct {
	X int64
	Border
	// Wrong is the result beside the border where something was found, nil if there is no border.
	Wrong *Result
}

// Check is a random point, at some distance from the border.
type Check struct {
	*Result
	// Expected reports whether it is on the side where something is found.
	Expected bool
}

// Right reports whether the point is as its side is.
func (c *Check) Right() bool { return c.Found() == c.Expected }

// Make makes a map.
func (s *Search) Make(ctx context.Context, p Plan) (*Map, error) {
	m := &Map{Plan: p, Below: true}
	for i := range p.Columns {
		x := p.X.rounded(p.XBounds.Low + (p.XBounds.High-p.XBounds.Low)*int64(i)/int64(p.Columns-1))
		if err := m.column(ctx, s, x); err != nil {
			return m, err
		}
	}
	for i := range m.Lines {
		if c := &m.Lines[i]; c.Exists {
			m.Below = c.LowFound()
			break
		}
	}
	random := rand.New(rand.NewPCG(s.Seed, uint64(p.X)*uint64(axes)+uint64(p.Y)))
	for _, expected := range []bool{true, false} {
		if err := m.check(ctx, s, random, expected); err != nil {
			return m, err
		}
	}
	return m, nil
}

// column finds the border at one value of the horizontal axis.
func (m *Map) column(ctx context.Context, s *Search, x int64) error {
	c := Column{X: x}
	var err error
	c.Border, err = Bisect(m.YBounds.Low, m.YBounds.High, m.Within(), kinds[m.Y].grain, func(y int64) (bool, error) {
		r, err := s.At(ctx, m.point(x, y))
		if err != nil {
			return false, err
		}
		m.Tried = append(m.Tried, r)
		return r.Found(), nil
	})
	if err == nil && c.Exists {
		c.Wrong, err = s.At(ctx, m.point(x, c.Found))
	}
	m.Lines = append(m.Lines, c)
	return err
}

// check searches random points on one side, until there are enough. There are none on a side that has no place for them.
func (m *Map) check(ctx context.Context, s *Search, random *rand.Rand, expected bool) error {
	const patience = 50
	seen := map[Point]bool{}
	for try := 0; len(seen) < m.Checks && try < patience*m.Checks; try++ {
		x := m.X.rounded(m.XBounds.Low + random.Int64N(m.XBounds.High-m.XBounds.Low+1))
		low, high := m.side(x, expected)
		if low > high {
			continue
		}
		p := m.point(x, m.Y.rounded(low+random.Int64N(high-low+1)))
		if seen[p] || p[m.X] > m.XBounds.High || p[m.Y] > m.YBounds.High {
			continue
		}
		r, err := s.At(ctx, p)
		if err != nil {
			return err
		}
		seen[p] = true
		m.Random = append(m.Random, Check{r, expected})
	}
	return nil
}

// side returns the part of the vertical axis that is on a side of the border in both columns next to x, two steps away from the border.
// It is empty if low is above high.
func (m *Map) side(x int64, found bool) (low, high int64) {
	low, high = m.YBounds.Low, m.YBounds.High
	i, _ := slices.BinarySearchFunc(m.Lines, x, func(c Column, x int64) int { return int(min(max(c.X-x, -1), 1)) })
	for _, c := range m.Lines[max(i-1, 0):min(i+1, len(m.Lines))] {
		switch {
		case c.Exists && found == m.Below:
			high = min(high, min(c.Found, c.None)-2*m.Within())
		case c.Exists:
			low = max(low, max(c.Found, c.None)+2*m.Within())
		case c.Everywhere != found:
			return 1, 0
		}
	}
	return low, high
}

// Wrong returns the random points that are not as their side is.
func (m *Map) Wrong() (list []Check) {
	for _, c := range m.Random {
		if !c.Right() {
			list = append(list, c)
		}
	}
	return list
}

// Twisted returns the columns whose border is the other way round than that of the others.
func (m *Map) Twisted() (list []Column) {
	for _, c := range m.Lines {
		if c.Exists && c.LowFound() != m.Below {
			list = append(list, c)
		}
	}
	return list
}

// Any reports whether anything was found.
func (m *Map) Any() bool {
	return slices.ContainsFunc(m.Results(), (*Result).Found)
}

// Vacuous returns the number of vacuous points.
func (m *Map) Vacuous() (n int) {
	for _, r := range m.Results() {
		if r.Vacuous {
			n++
		}
	}
	return n
}

// Results returns the results of all points, each once: those of the columns, and the random ones.
func (m *Map) Results() (list []*Result) {
	seen := map[*Result]bool{}
	add := func(r *Result) {
		if !seen[r] {
			seen[r] = true
			list = append(list, r)
		}
	}
	for _, r := range m.Tried {
		add(r)
	}
	for i := range m.Random {
		add(m.Random[i].Result)
	}
	return list
}

// Beyond returns the points with a finding that the rule says are none: it is wrong about the lock then, or the lock has a fault that leases do
// not explain. Only a map with leases on its vertical axis has any.
func (m *Map) Beyond(rule *Rule) (list []*Result) {
	if rule == nil || m.Y != Lease {
		return nil
	}
	for _, r := range m.Results() {
		if r.Found() && r.Point[Lease] > rule.Lease(r.Point) {
			list = append(list, r)
		}
	}
	return list
}
