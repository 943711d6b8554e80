package executor

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

// cte is a query of WITH.
type cte struct {
	name    string
	columns []Column
	query   *query  // nil if it changes rows
	change  *change // nil if it does not
	defined bool
}

// with analyses WITH.
func (s *scope) with(w *syntax.With) error {
	if w == nil {
		return nil
	}
	for _, it := range w.Items {
		if slices.ContainsFunc(s.ctes, func(c *cte) bool { return c.name == it.Name }) {
			return pgerror.New(pgerror.DuplicateAlias, "WITH query name %q specified more than once", it.Name).At(it.Pos)
		}
		c := &cte{name: it.Name}
		if w.Recursive {
			s.ctes = append(s.ctes, c) // so that a reference to itself is seen
		}
		if err := s.defineCTE(c, it); err != nil {
			return err
		}
		if !w.Recursive {
			s.ctes = append(s.ctes, c)
		}
		c.defined = true
	}
	return nil
}

// defineCTE analyses one query of WITH.
func (s *scope) defineCTE(c *cte, it syntax.CTE) error {
	if sel, ok := it.Query.(*syntax.Select); ok {
		q, err := s.query(sel, queryOptions{})
		if err != nil {
			return err
		}
		c.query, c.columns = q, q.columns
	} else {
		if s.outer == nil || s.outer.outer != nil {
			return pgerror.New(pgerror.FeatureNotSupported, "WITH clause containing a data-modifying statement must be at the top level").At(it.Pos)
		}
		ch, err := s.change(it.Query)
		if err != nil {
			return err
		}
		c.change, c.columns = ch, ch.columns
	}
	c.columns = slices.Clone(c.columns)
	if len(it.Columns) > len(c.columns) {
		return pgerror.New(pgerror.InvalidColumnReference, "WITH query %q has %d columns available but %d columns specified",
			c.name, len(c.columns), len(it.Columns)).At(it.Pos)
	}
	for i, name := range it.Columns {
		c.columns[i].Name = name
	}
	return nil
}

// findCTE finds a query of WITH by its name, or nil.
func (s *scope) findCTE(name string) (*cte, int) {
	level := 0
	for at := s; at != nil; at, level = at.outer, level+1 {
		for _, c := range at.ctes {
			if c.name == name {
				return c, level
			}
		}
	}
	return nil, 0
}

// cteTable makes a query of WITH a table.
func (s *scope) cteTable(c *cte, _ int, x *syntax.Table) (*rte, error) {
	if !c.defined {
		return nil, pgerror.Lacks("WITH RECURSIVE")
	}
	if c.change != nil && c.change.columns == nil {
		return nil, pgerror.New(pgerror.FeatureNotSupported, "WITH query %q does not have a RETURNING clause", c.name).At(x.Pos)
	}
	r := &rte{alias: c.name, columns: slices.Clone(c.columns), rows: 100, kind: "a WITH query"}
	if c.query != nil {
		r.rows, r.volatile = c.query.estimate, c.query.volatile
	}
	for i := range r.columns {
		r.columns[i].TableOID, r.columns[i].Number = 0, 0
	}
	if err := r.rename(x.Alias); err != nil {
		return nil, err
	}
	r.source = func(e *env) (rows, error) { return e.ctes[c].rows() }
	return s.add(r)
}

// cteState is a query of WITH in an execution. Its rows are made when they are first read, and kept.
type cteState struct {
	cte   *cte
	env   *env
	spool *spool
}

// begin begins a query of WITH in the environment of the query with that clause.
func (e *env) begin(c *cte) {
	st := &cteState{cte: c, env: e}
	e.run.ctes[c] = st
	if c.change != nil {
		e.changing = append(e.changing, st)
	}
}

// rows returns all rows, from the first on.
func (st *cteState) rows() (rows, error) {
	if st.spool == nil {
		var read rows
		var err error
		if st.cte.query != nil {
			read, err = st.cte.query.open(st.env)
		} else {
			read, err = st.cte.change.open(st.env)
		}
		if err != nil {
			return nil, err
		}
		st.spool = &spool{read: read}
	}
	return st.spool.reader(), nil
}

// finishChanges executes what is left of the changes in WITH, once the statement itself is done: the last one first, since
// those before it are what it reads.
func (r *run) finishChanges() error {
	for i := len(r.changing) - 1; i >= 0; i-- {
		read, err := r.changing[i].rows()
		if err != nil {
			return err
		}
		for {
			row, err := read()
			if err != nil {
				return err
			}
			if row == nil {
				break
			}
		}
	}
	return nil
}
