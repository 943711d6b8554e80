package sql

import "errors"

// scan goes through the rows of a table that a condition is true of, and locks them. It follows InnoDB's
// row_search_mvcc: where gaps are locked it locks each record that it looks at with the gap
// before it, but for the record of a whole primary key.
type scan struct {
	x        *Execution
	table    *table
	where    Expr
	path     path
	mode     mode // exclusive, or 0 for shared locks
	patience Patience
	// semiConsistent lets an UPDATE that locks no gaps pass over rows that others have
	// locked, if they do not meet the condition as they were committed last.
	semiConsistent bool

	// keeps lets a SELECT of a whole unique key keep the lock on a row that does not meet the
	// rest of the condition.
	keeps bool

	span    int    // the present one
	at      *entry // the record that is looked at; nil before the first of a span
	stopped bool   // behind the last record of the span
	locked  int    // how many locks the transaction had before the record
	passed  bool   // the record at which it is has been returned
}

func (x *Execution) scan(t *table, where Expr, m mode, how Patience) (*scan, error) {
	if anyPart(where, isLike) {
		return nil, Fail(Unsupported, "LIKE in a condition on a table") // which locks a range of its index
	}
	p, err := access(t, where, &scope{x: x, table: t})
	return &scan{x: x, table: t, where: where, path: p, mode: m, patience: how}, err
}

// next returns the next row; nil behind the last one. The error is ErrWait if it has to wait for a
// lock, and next is to be called again.
func (s *scan) next() (*row, error) {
	for s.span < len(s.path.spans) {
		r, err := s.nextInSpan(&s.path.spans[s.span])
		if err != nil || r != nil {
			return r, err
		}
		s.span++
		s.at, s.stopped, s.passed = nil, false, false
	}
	return nil, nil
}

// nextInSpan returns the next row of a span.
func (s *scan) nextInSpan(p *span) (*row, error) {
	t, ix := s.x.session.txn, s.path.index
	for !s.stopped {
		s.move(p)
		e := s.at
		if e == ix.end {
			s.stopped = true
			if t.level.LocksGaps {
				return nil, t.lock(e, s.mode, Patience{})
			}
			break
		}
		if p.exact && p.isAfter(e.key) {
			s.stopped = true
			if t.level.LocksGaps {
				return nil, t.lock(e, s.mode|gap, Patience{})
			}
			break
		}
		r, err := s.look(p, e)
		if errors.Is(err, errSkip) {
			s.passed = true
			continue
		}
		if err != nil {
			return nil, err
		}
		s.passed = true
		if r != nil {
			return r, nil
		}
	}
	return nil, nil
}

// move goes to the record to look at: the first of the span, the one behind the last, or
// again the one for whose lock the statement has waited.
func (s *scan) move(p *span) {
	ix := s.path.index
	switch {
	case s.at == nil:
		i := ix.find(p.low)
		for p.aboveLow && i < len(ix.entries) && p.isBefore(ix.entries[i].key) {
			i++
		}
		s.at = ix.at(i)
	case s.passed:
		s.at = ix.after(s.at)
	case s.at.gone:
		s.at = ix.at(ix.find(s.at.key))
	default:
		return
	}
	s.passed = false
	s.locked = len(s.x.session.txn.locks)
}

// look locks a record, and its row if it is of another index, and returns the row if it is one that the
// condition is true of.
func (s *scan) look(p *span, e *entry) (*row, error) {
	t, clustered := s.x.session.txn, s.path.index.isClustered()
	deleted := e.deleted || clustered && e.row.latest() == nil
	if deleted && !t.level.LocksGaps && e.implicit() == nil {
		s.stopped = s.stopped || p.wholeKey && clustered
		return nil, nil // it is of no use to anybody
	}
	m := s.mode
	switch {
	case !t.level.LocksGaps,
		clustered && p.wholeKey,
		clustered && !p.exact && !p.aboveLow && len(p.low) == len(s.path.index.columns) && len(p.low) > 0 && s.path.index.order(e.key, p.low) == 0:
		m |= recordOnly
	}
	if s.semiConsistent && !p.wholeKey && clustered && !t.level.LocksGaps {
		if skip, err := s.passesOver(e, m); skip || err != nil {
			return nil, err
		}
	}
	if err := t.lock(e, m, s.patience); err != nil {
		return nil, err
	}
	deleted = e.deleted || clustered && e.row.latest() == nil
	if deleted || p.isAfter(e.key) { // what is deleted does not end a scan
		s.stopped = s.stopped || !deleted || p.wholeKey && clustered
		s.giveUp(e)
		return nil, nil
	}
	if !clustered {
		if err := t.lock(e.row.entry, s.mode|recordOnly, s.patience); err != nil {
			return nil, err
		}
	}
	s.stopped = s.stopped || p.wholeKey && s.path.index.unique
	values := e.row.latest()
	if values == nil {
		return nil, nil
	}
	ok, err := s.x.meets(s.where, s.table, values)
	if err != nil {
		return nil, err
	}
	if !ok && p.wholeKey && s.path.index.unique && s.keeps {
		return nil, nil
	}
	if !ok {
		s.giveUp(e)
		if !clustered {
			s.giveUp(e.row.entry)
		}
		return nil, nil
	}
	return e.row, nil
}

// passesOver reports whether an UPDATE need not wait for a record: its condition is not true of
// what was committed last.
func (s *scan) passesOver(e *entry, m mode) (bool, error) {
	if !s.x.session.txn.wouldWait(e, m) {
		return false, nil
	}
	e.makeExplicit(s.x.session.txn) // by asking for the lock
	v := e.row.committed()
	if v == nil || v.values == nil {
		return true, nil
	}
	ok, err := s.x.meets(s.where, s.table, v.values)
	return !ok, err
}

// giveUp unlocks a record that the statement does not want, where gaps are not locked.
func (s *scan) giveUp(e *entry) {
	if t := s.x.session.txn; !t.level.LocksGaps {
		t.unlock(e, min(s.locked, len(t.locks)))
	}
}

// meets reports whether a condition is true of a row.
func (x *Execution) meets(where Expr, t *table, values []Value) (bool, error) {
	if where == nil {
		return true, nil
	}
	v, err := eval(where, &scope{x: x, table: t, row: values})
	return v.IsTrue(), err
}
