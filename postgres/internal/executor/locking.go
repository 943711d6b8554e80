package executor

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// clauses are the words of the strengths.
var clauses = map[syntax.Strength]string{
	syntax.ForKeyShare: "FOR KEY SHARE", syntax.ForShare: "FOR SHARE",
	syntax.ForNoKeyUpdate: "FOR NO KEY UPDATE", syntax.ForUpdate: "FOR UPDATE",
}

// locking analyses FOR UPDATE and its kin.
func (q *query) locking(sel *syntax.Select) error {
	for _, l := range sel.Locking {
		word := clauses[l.Strength]
		if err := q.mayLock(sel, word); err != nil {
			return err
		}
		q.scope.a.write("SELECT " + word)
		if len(l.Of) == 0 {
			for _, r := range q.scope.rtes {
				if err := q.mark(r, l); err != nil {
					return err
				}
			}
			continue
		}
		for _, name := range l.Of {
			i := slices.IndexFunc(q.scope.rtes, func(r *rte) bool { return r.alias == name.Name })
			if i < 0 {
				return pgerror.New(pgerror.UndefinedTable, "relation %q in %s clause not found in FROM clause", name.Name, word).At(name.Pos)
			}
			r := q.scope.rtes[i]
			if r.table == nil && r.kind != "" {
				return pgerror.New(pgerror.FeatureNotSupported, "%s cannot be applied to %s", word, r.kind).At(name.Pos)
			}
			if err := q.mark(r, l); err != nil {
				return err
			}
		}
	}
	for _, m := range q.marks {
		for _, p := range q.parts {
			if p.nullable(m.rte, false) {
				return pgerror.New(pgerror.FeatureNotSupported, "%s cannot be applied to the nullable side of an outer join", clauses[syntax.ForUpdate])
			}
		}
	}
	return nil
}

// mayLock refuses queries whose result has no rows of tables.
func (q *query) mayLock(sel *syntax.Select, word string) error {
	what := ""
	switch {
	case sel.Op != syntax.SetNone:
		what = "UNION/INTERSECT/EXCEPT"
	case sel.Distinct:
		what = "DISTINCT clause"
	case len(sel.Group) > 0:
		what = "GROUP BY clause"
	case sel.Having != nil:
		what = "HAVING clause"
	case q.grouped:
		what = "aggregate functions"
	case q.scope.srf != nil && len(q.scope.srf.calls) > 0:
		what = "set-returning functions in the target list"
	case len(q.scope.windows) > 0:
		what = "window functions"
	case sel.Values != nil:
		return pgerror.New(pgerror.FeatureNotSupported, "%s cannot be applied to VALUES", word)
	}
	if what == "" {
		return nil
	}
	return pgerror.New(pgerror.FeatureNotSupported, "%s is not allowed with %s", word, what)
}

// mark locks the rows of a table; a stronger clause and a stricter policy win.
func (q *query) mark(r *rte, l syntax.Locking) error {
	if r.table == nil {
		if r.query != nil && len(r.query.marks) == 0 && slices.ContainsFunc(r.query.scope.rtes, func(in *rte) bool { return in.table != nil }) {
			return pgerror.Lacks("%s of a query in FROM; write it in that query", clauses[l.Strength])
		}
		return nil
	}
	m := rowMark{rte: r}
	switch l.Strength {
	case syntax.ForKeyShare:
		m.mode = storage.KeyShare
	case syntax.ForShare:
		m.mode = storage.Share
	case syntax.ForNoKeyUpdate:
		m.mode = storage.NoKeyUpdate
	case syntax.ForUpdate:
		m.mode = storage.Update
	}
	switch l.Wait {
	case syntax.LockNowait:
		m.policy = storage.Nowait
	case syntax.LockSkip:
		m.policy = storage.SkipLocked
	}
	if err := q.scope.a.lock(r.table, storage.RowShare); err != nil {
		return err
	}
	for i, have := range q.marks {
		if have.rte != r {
			continue
		}
		q.marks[i].mode = max(have.mode, m.mode)
		if have.policy == storage.Block || m.policy == storage.Nowait {
			q.marks[i].policy = m.policy
		}
		return nil
	}
	q.marks = append(q.marks, m)
	return nil
}

// nullable reports whether the table is in the part of an outer join that may have no row.
func (j *joined) nullable(r *rte, below bool) bool {
	if j.rte != nil {
		return j.rte == r && below
	}
	return j.left.nullable(r, below) || j.right.nullable(r, below || j.kind != syntax.InnerJoin)
}

// locked goes on to the next row that is locked. When another transaction has changed a row meanwhile, the conditions and the
// result are evaluated again with its newest version, and a row that does not meet them any more is left out.
func (q *query) locked(e *env, next rows) rows {
	return func() ([]types.Value, error) {
		for {
			out, err := next()
			if out == nil || err != nil {
				return nil, err
			}
			read := *e
			e.rows, e.tuples = slices.Clone(e.rows), slices.Clone(e.tuples)
			there, changed, err := q.lockRow(e)
			if err != nil {
				return nil, err
			}
			if there && changed {
				if there, err = recheck(e, q.parts, q.where); err == nil && there {
					out, err = evalAll(e, q.targets)
				}
			}
			e.rows, e.tuples = read.rows, read.tuples
			if there || err != nil {
				return out, err
			}
		}
	}
}

// lockRow locks the present row of each marked table.
func (q *query) lockRow(e *env) (there, changed bool, err error) {
	for _, m := range q.marks {
		t := e.tuples[m.rte.place]
		if t == nil {
			continue
		}
		newest, outcome, err := e.backend.LockRow(e.snapshot, t, m.mode, m.policy)
		if err != nil {
			return false, false, err
		}
		switch outcome {
		case storage.Done:
		case storage.Updated:
			e.rows[m.rte.place], e.tuples[m.rte.place] = newest.Row, newest
			changed = true
		default: // deleted, skipped, or changed by this transaction since the snapshot
			return false, false, nil
		}
	}
	return true, changed, nil
}

// recheck is EvalPlanQual: it reports whether the present rows meet the conditions of joins and of WHERE.
func recheck(e *env, parts []*joined, where []*value) (bool, error) {
	for _, p := range parts {
		if ok, err := p.recheck(e); !ok || err != nil {
			return false, err
		}
	}
	return allTrue(e, where)
}
