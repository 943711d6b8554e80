package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/lockpick-dev/lockpick/cell"
)

// riverQueue works two jobs at once.
var riverQueue = river.QueueConfig{MaxWorkers: 2}

// riverConfig is that of a process's client. It polls: the listener for notifications holds a mutex while it waits for PostgreSQL.
func riverConfig(p *cell.Process) *river.Config {
	workers := river.NewWorkers()
	river.AddWorker(workers, &riverWork{p: p})
	return &river.Config{
		ID: p.Name(), Logger: slog.New(slog.DiscardHandler), PollOnly: true, Workers: workers,
		Queues: map[string]river.QueueConfig{river.QueueDefault: riverQueue},
	}
}

// runRiver runs a client until the process ends. It adds the queue when the client has started: a Start that cannot read its queue ends what
// it has started, and until then reads a closed channel in a loop, which in a run with the overlay takes too long.
func runRiver(p *cell.Process, client *river.Client[pgx.Tx]) error {
	again := func(try func() error) {
		for try() != nil && p.Context().Err() == nil {
			p.Clock().Sleep(time.Second)
		}
	}
	remove := func() error { return client.Queues().Remove(p.Context(), river.QueueDefault) }
	if err := remove(); err != nil {
		return err
	}
	again(func() error { return client.Start(p.Context()) })
	again(func() error {
		err := client.Queues().Add(river.QueueDefault, riverQueue)
		if err != nil {
			_ = remove()
		}
		return err
	})
	<-p.Context().Done()
	ctx, end := context.WithTimeout(context.WithoutCancel(p.Context()), 10*time.Second)
	defer end()
	_ = client.Stop(ctx)
	return nil
}
