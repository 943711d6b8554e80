package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

const workedOnce = "no attempt of a job is worked by two"

var riverLibrary = library{
	module: "github.com/riverqueue/river",
	program: cell.Program{
		ID: "river", Summary: "riverqueue/river: jobs that two clients fetch by SKIP LOCKED",
		Stores: []stage.Store{riverStore}, Rules: []program.Rule{program.AtMostOnce(workedOnce, "attempt")}, Main: workRiver,
	},
	expected: violates("river", "An attempt is numbered by a row of one PostgreSQL, which a failover may lose. Waits are drawn by math/rand/v2, whose numbers are a thread's own, so runs differ but in a build with the [overlay](limits.md#the-order-of-goroutines), with which 84 of 84 were equal. A Start that cannot read its queue closes a channel that another goroutine reads in a loop until it is ended too, which in a run with the overlay takes too long: the adapter adds the queue when the client has started.", slug(workedOnce)),
	differs:  true,
}

// riverStore has the tables of river's migrations.
var riverStore = postgres.Schema(riverSchema()...)

// riverWork is a job, and its worker.
type riverWork struct {
	river.WorkerDefaults[riverWork] `json:"-"`
	p                               *cell.Process
}

func (riverWork) Kind() string { return "work" }

// Work works a job.
func (w *riverWork) Work(_ context.Context, job *river.Job[riverWork]) error {
	w.p.Effect("attempt", fmt.Sprintf("%d/%d", job.ID, job.Attempt))
	w.p.Clock().Sleep(w.p.TTL() / 4)
	return nil
}

func workRiver(p *cell.Process) error {
	client, err := river.NewClient(riverpgxv5.New(postgres.Pool(p)), riverConfig(p))
	if err != nil {
		return err
	}
	go insertRiver(p, client)
	return runRiver(p, client)
}

// insertRiver inserts five jobs.
func insertRiver(p *cell.Process, client *river.Client[pgx.Tx]) {
	for range 5 {
		if _, err := client.Insert(p.Context(), riverWork{}, nil); err != nil {
			p.Event("does not insert", err)
		}
		p.Clock().Sleep(time.Second)
	}
}
