package main

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

const soonNoticed = "a leader notices by its next election that another was elected"

var riverLeader = library{
	module: "github.com/riverqueue/river",
	program: cell.Program{
		ID: "river-leader", Summary: "riverqueue/river: the leader of its clients, which enqueues periodic jobs",
		Stores: []stage.Store{riverStore}, Rules: []program.Rule{program.Always(soonNoticed)}, Lasts: time.Minute, Main: leadRiver,
	},
	expected: violates("river-leader", "A leader whose row a failover has lost notices it at its next election, five seconds after the last, and works until then beside the next leader. Runs differ for the reason of [river](#river); with the overlay 84 of 84 were equal."),
	differs:  true,
}

// leadRiver runs a client with a periodic job of each second, which only the leader makes. It looks in the database
// who leads, and inserts nothing. Elections are five seconds apart.
func leadRiver(p *cell.Process) error {
	pool, late := postgres.Pool(p), 0
	look := func() (river.JobArgs, *river.InsertOpts) {
		ctx, end := context.WithTimeout(p.Context(), 500*time.Millisecond)
		defer end()
		var leader string
		if err := pool.QueryRow(ctx, "SELECT leader_id FROM river_leader").Scan(&leader); err != nil || leader == p.Name() {
			late = 0
		} else {
			late++
		}
		p.Always(late < 7, soonNoticed, "it is", leader)
		return nil, nil
	}
	config := riverConfig(p)
	config.PeriodicJobs = []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(time.Second), look, nil)}
	client, err := river.NewClient(riverpgxv5.New(pool), config)
	if err != nil {
		return err
	}
	return runRiver(p, client)
}
