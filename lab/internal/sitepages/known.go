package sitepages

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/cell"
	etcd "github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/lab/builtin"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Locks returns the locks over all stores.
func Locks() []cell.Lock {
	return slices.Concat(builtin.Locks(), etcd.Locks())
}

// Known returns all scenarios and locks, for workers.
func Known() cell.Registry { return scenarios.Registry(Locks()) }

// known has the expectations of all locks in all scenarios.
type known struct {
	registry cell.Registry
	families []expect.Family
	rows     []row
	columns  []column
	// public are the directories of the public packages.
	public []string
}

// row is a lock with its cells, one for each column.
type row struct {
	lock   cell.Lock
	family string
	reason string
	// topology is how the lock's servers are deployed, empty for the usual way.
	topology string
	cells    []*matrix.Cell
}

// column is a scenario.
type column struct {
	*cell.Scenario
	// topology is the deployment of servers that it needs, empty for the usual one.
	topology string
}

// newKnown reads the expectations. A scenario or a lock that does not apply to the usual deployment of servers has the
// cells of the first topology to which it applies.
func newKnown(o Options) (*known, error) {
	k := &known{registry: Known(), families: slices.Concat(builtin.Families(), etcd.Families())}
	var err error
	if k.public, err = publicPackages(o.Root); err != nil {
		return nil, err
	}
	tables := map[string]*matrix.Matrix{}
	topologies := append([]string{""}, k.topologies()...)
	for _, t := range topologies {
		m, err := matrix.New(matrix.Options{Known: k.registry, Families: k.families, Topology: t, Worker: o.Worker, Runs: 1, Jobs: 1, Program: "simrun"})
		if err != nil {
			return nil, err
		}
		tables[t] = m
	}
	first := func(has func(m *matrix.Matrix) bool) (string, bool) {
		i := slices.IndexFunc(topologies, func(t string) bool { return has(tables[t]) })
		if i < 0 {
			return "", false
		}
		return topologies[i], true
	}
	for _, s := range k.registry.Scenarios {
		t, applies := first(func(m *matrix.Matrix) bool { return slices.Contains(m.Columns, s) })
		if !applies {
			return nil, fmt.Errorf("scenario %s applies to no lock, wherever its servers are deployed", s.ID)
		}
		k.columns = append(k.columns, column{s, t})
	}
	for _, f := range k.families {
		for i := range f.Expectations {
			e := &f.Expectations[i]
			t, runs := first(func(m *matrix.Matrix) bool { return rowOf(m, e.Lock) != nil })
			if !runs {
				return nil, fmt.Errorf("lock %s runs in no topology", e.Lock)
			}
			k.rows = append(k.rows, k.row(f.Title, e, t, tables))
		}
	}
	return k, nil
}

// row returns the row of a lock whose servers are deployed in a topology, or as a scenario needs it.
func (k *known) row(family string, e *expect.Expectations, topology string, tables map[string]*matrix.Matrix) row {
	r := row{family: family, reason: e.Reason, topology: topology}
	r.lock, _ = k.registry.Lock(e.Lock) // a matrix exists for it
	for _, c := range k.columns {
		at := topology
		if c.topology != "" {
			at = c.topology
		}
		r.cells = append(r.cells, cellOf(tables[at], e.Lock, c.ID))
	}
	return r
}

// topologies returns the ways in which servers can be deployed besides the usual one.
func (k *known) topologies() (list []string) {
	for _, store := range cell.Stores(k.registry.Locks) {
		for _, d := range store.Shape() {
			if d.Name == stage.Topology {
				list = append(list, d.Names[1:]...)
			}
		}
	}
	return list
}

func rowOf(m *matrix.Matrix, lock string) *matrix.Row {
	for _, g := range m.Groups {
		for i := range g.Rows {
			if g.Rows[i].Lock.ID == lock {
				return &g.Rows[i]
			}
		}
	}
	return nil
}

// cellOf returns the cell of a lock in a scenario, nil if it does not apply.
func cellOf(m *matrix.Matrix, lock, scenario string) *matrix.Cell {
	r := rowOf(m, lock)
	if r == nil {
		return nil
	}
	for _, c := range r.Cells {
		if c.Scenario.ID == scenario && c.Expected.Except == "" {
			return c
		}
	}
	return nil
}

// standing is the expectation of a lock in a scenario, in a word.
type standing string

// The standings, the worst last.
const (
	notApplicable standing = "na"
	silent        standing = "none"
	mayLimit      standing = "may-limit"
	limit         standing = "limit"
	undecided     standing = "undecided"
	mayFault      standing = "may-fault"
	fault         standing = "fault"
)

// standings are all standings with their marks and meanings.
var standings = []struct {
	Standing standing `json:"standing"`
	Mark     string   `json:"mark"`
	Says     string   `json:"says"`
}{
	{fault, "✗", "a fault of the lock must be found"},
	{mayFault, "×", "a fault may be found, and need not"},
	{undecided, "?", "runs that do not finish"},
	{limit, "◐", "a limit of leases must be found, which no lease prevents"},
	{mayLimit, "◔", "a limit may be found, and need not"},
	{silent, "✓", "nothing may be found, but for weak properties, which sound locks violate too"},
	{notApplicable, "–", "does not apply"},
}

// standingOf returns the standing of a cell, which is nil if it does not apply.
func standingOf(c *matrix.Cell) standing {
	if c == nil {
		return notApplicable
	}
	has := func(list []model.Violation, s matrix.Standing) bool {
		return slices.ContainsFunc(list, func(v model.Violation) bool { return matrix.StandingOf(v) == s })
	}
	e := &c.Expected
	switch {
	case has(e.Must, matrix.Fault):
		return fault
	case has(e.Must, matrix.Limit):
		return limit
	case e.Undecided:
		return undecided
	case has(e.May, matrix.Fault):
		return mayFault
	case has(e.May, matrix.Limit):
		return mayLimit
	}
	return silent
}
