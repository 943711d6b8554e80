package executor

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Cursor reads the rows of a query one by one.
type Cursor struct {
	plan     *Plan
	run      *run
	snapshot *storage.Snapshot
	next     rows
}

// Start begins to execute a query, as [Plan.Run] does. Rows are made when they are read: a query that has failed, or is not read to
// its end, has locked and called what the rows so far did. The caller counts the command.
func (p *Plan) Start(s Session, params []types.Value) (*Cursor, error) {
	again, err := p.again(s, params)
	if err != nil {
		return nil, err
	}
	c := &Cursor{plan: again}
	if c.run, err = again.begin(s, params); err != nil {
		return nil, err
	}
	c.snapshot = c.run.snapshot
	c.next, err = again.open(&env{run: c.run})
	return c, err
}

// Next returns the next row, nil after the last one.
func (c *Cursor) Next() ([]types.Value, error) {
	row, err := c.next()
	if err != nil || row != nil {
		return row, err
	}
	if err = c.run.finish(); err == nil {
		c.plan.keep(c.run.session)
		c.next = listed(nil)
	}
	return nil, err
}

// Snapshot returns the snapshot by which the rows are read.
func (c *Cursor) Snapshot() *storage.Snapshot { return c.snapshot }

// again analyses the statement again, unless a plan was kept: definitions may have changed, and plans depend on parameters.
func (p *Plan) again(s Session, params []types.Value) (*Plan, error) {
	again, err := planned(s, p.statement, p.Params, params)
	if err == nil && !sameColumns(p.Columns, again.Columns) {
		err = pgerror.New(pgerror.FeatureNotSupported, "cached plan must not change result type")
	}
	return again, err
}

// begin makes an execution.
func (p *Plan) begin(s Session, params []types.Value) (*run, error) {
	b := s.Backend()
	if p.late != nil {
		return nil, p.late
	}
	if p.writes != "" && (b.Txn().ReadOnly || s.InRecovery()) {
		return nil, pgerror.New(pgerror.ReadOnlyTransaction, "cannot execute %s in a read-only transaction", p.writes)
	}
	if p.utility != nil {
		return nil, nil
	}
	snapshot, err := b.Snapshot()
	if err != nil {
		return nil, err
	}
	return &run{session: s, backend: b, snapshot: snapshot, params: params, once: map[*subplan]*once{}, ctes: map[*cte]*cteState{}}, nil
}

// open begins the statement's own part.
func (p *Plan) open(e *env) (rows, error) {
	if p.query != nil {
		return p.query.open(e)
	}
	return p.change.open(e)
}

// finish does what is done after the last row.
func (r *run) finish() error {
	if err := r.finishChanges(); err != nil {
		return err
	}
	if err := r.snapshot.Err(); err != nil {
		return err
	}
	for i := 0; i < len(r.checks); i++ {
		if err := r.checks[i](); err != nil {
			return err
		}
	}
	return nil
}
