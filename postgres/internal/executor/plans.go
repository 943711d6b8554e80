package executor

import (
	"slices"

	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// plans are those that a database keeps, so that a statement is not analysed for each execution. A plan is used by one execution at
// a time: it is taken out before, and put back after it. It is good for all sessions, as long as definitions do not change.
type plans map[planKey][]*Plan

// mostPlans is for how many statements a database keeps plans.
const mostPlans = 256

// planKey is what plans depend on, besides definitions and the types of parameters.
type planKey struct {
	statement  syntax.Statement
	path, user string
}

// opened is a table that an analysis has locked. Named is set if the lock is taken by the table's name.
type opened struct {
	table *storage.Table
	mode  storage.TableMode
	named bool
}

func keyFor(s Session, st syntax.Statement) planKey {
	path, _ := s.Setting("search_path")
	return planKey{st, path, s.User()}
}

// planned returns a plan that was kept, or analyses the statement. It takes the same locks in both cases.
func planned(s Session, st syntax.Statement, params []types.OID, values []types.Value) (*Plan, error) {
	kept, _ := (*s.Backend().Plans()).(plans)
	key := keyFor(s, st)
	i := slices.IndexFunc(kept[key], func(p *Plan) bool { return p.fits(s.Backend(), params) })
	if i < 0 {
		return prepare(s, st, params, values)
	}
	p := kept[key][i]
	kept[key] = slices.Delete(kept[key], i, i+1)
	p.analysis.session, p.analysis.backend = s, s.Backend()
	if err := p.relock(); err != nil {
		return nil, err
	}
	if !p.current(s.Backend()) { // definitions have changed during a wait for a lock
		return prepare(s, st, params, values)
	}
	return p, nil
}

// fits reports whether the plan is good for parameters of some types.
func (p *Plan) fits(b *storage.Backend, params []types.OID) bool {
	return p.current(b) && (slices.Equal(params, p.given) || !p.analysis.vague && slices.Equal(params, p.Params))
}

// current reports whether definitions are those with which the plan was made.
func (p *Plan) current(b *storage.Backend) bool {
	n, settled := b.Definitions()
	return settled && n == p.definitions
}

// relock takes the snapshot and the locks that an analysis takes, in its order.
func (p *Plan) relock() error {
	b := p.analysis.backend
	if b.Txn().Level != storage.ReadCommitted {
		if _, err := b.Snapshot(); err != nil {
			return err
		}
	}
	for _, o := range p.analysis.opened {
		var err error
		if o.named {
			_, err = b.Open(o.table.Schema, o.table.Name, o.mode)
		} else {
			err = b.LockTable(o.table, o.mode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keep puts a plan that is not used any more among those of the database.
func (p *Plan) keep(s Session) {
	a, b := p.analysis, s.Backend()
	if p.utility != nil || a.bound || !p.current(b) {
		return
	}
	kept, _ := (*b.Plans()).(plans)
	if kept == nil || len(kept) == mostPlans {
		kept = plans{}
		*b.Plans() = kept
	}
	key := keyFor(s, p.statement)
	list := slices.DeleteFunc(kept[key], func(o *Plan) bool { return !o.current(b) })
	kept[key] = append(list, p)
}
