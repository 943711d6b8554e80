package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

const soonNoticed = "a leader notices soon that another was elected"

var riverLeader = library{
	module: "github.com/riverqueue/river",
	program: cell.Program{
		ID: "river-leader", Summary: "riverqueue/river: the leader of its clients, which enqueues periodic jobs",
		Stores: []stage.Store{riverStore}, Rules: []program.Rule{program.Always(soonNoticed)}, Lasts: time.Minute, Main: leadRiver,
	},
	expected: violates("river-leader", "A leader trusts its term by its own clock, and gives up before the row has ended."),
}

// leadRiver runs a client with a periodic job of each second, which only the leader makes. It looks in the database
// who leads, and inserts nothing.
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
		p.Always(late < 3, soonNoticed, "it is", leader)
		return nil, nil
	}
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		ID: p.Name(), Logger: slog.New(slog.DiscardHandler), PollOnly: true, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}}, Workers: riverWorkers(p),
		PeriodicJobs: []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(time.Second), look, nil)},
	})
	if err != nil {
		return err
	}
	return runRiver(p, client.Start, client.Stop)
}

// runRiver runs a client until the process ends.
func runRiver(p *cell.Process, start, stop func(context.Context) error) error {
	for start(p.Context()) != nil {
		if p.Context().Err() != nil {
			return nil
		}
		p.Clock().Sleep(time.Second)
	}
	<-p.Context().Done()
	ctx, end := context.WithTimeout(context.WithoutCancel(p.Context()), 10*time.Second)
	defer end()
	_ = stop(ctx)
	return nil
}
