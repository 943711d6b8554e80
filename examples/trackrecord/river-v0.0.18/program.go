package adapter

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/internal/leadership"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// noticed is the rule.
const noticed = "a leader notices by its next election that another was elected"

// Leading has an elector in each of its processes, which looks now and then in the database who leads.
var Leading = cell.Program{
	ID: "river-elector", Summary: "river's elector, for as long as its client runs",
	Stores: []stage.Store{Table}, Rules: []program.Rule{program.Always(noticed)}, Main: lead,
}

// lead looks four times from one election to the next. Six looks in a row that find another leader are too many.
func lead(p *cell.Process) error {
	e := NewLock(p.AsClient()).(electors)
	elector, err := leadership.NewElector(e.adapter, e.notifier, e.name, e.id, e.interval, e.logger)
	if err != nil {
		return err
	}
	changes, ended := elector.Listen(), make(chan struct{})
	go func() { defer close(ended); elector.Run(p.Context()) }()
	defer func() { <-ended }()
	pool, leads, late := postgres.Pool(p), false, 0
	for p.Context().Err() == nil {
		select {
		case change := <-changes.C():
			leads, late = change.IsLeader, 0
		case <-p.Clock().After(e.interval / 4):
			if leader, ok := look(p, pool, e.name); leads && ok && leader != e.id {
				late++
			}
			p.Always(late < 6, noticed, "late by looks", late)
		case <-p.Context().Done():
		}
	}
	return nil
}

// look asks the database who leads.
func look(p *cell.Process, pool *pgxpool.Pool, name string) (leader string, ok bool) {
	ctx, end := context.WithTimeout(p.Context(), p.TTL()/4)
	defer end()
	err := pool.QueryRow(ctx, "SELECT leader_id FROM river_leader WHERE name = $1", name).Scan(&leader)
	return leader, err == nil
}
