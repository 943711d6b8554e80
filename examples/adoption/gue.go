package main

import (
	"context"
	"errors"

	"github.com/vgarvardt/gue/v5"
	"github.com/vgarvardt/gue/v5/adapter/pgxv5"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres"
)

var gueLibrary = library{
	module: "github.com/vgarvardt/gue/v5",
	lock: cell.Lock{ID: "gue", Summary: "vgarvardt/gue: a job that is locked by SKIP LOCKED, in a transaction, while it is worked", Flawed: true,
		Store: postgres.Schema(gueSchema...), Subject: cell.Mutex(newGue), Reading: cell.Reading{Ownership: postgres.SessionOwnership(postgres.RowLockKey("gue_jobs", gueJob))}},
	expected: violates("gue", "Nothing says while a job is worked that its connection has broken: its worker learns it from the transaction's next statement, and by then another may work the job.",
		"mutual-exclusion", "linearizable", "no-lost-update"),
}

// gueJob is the id of the job, a ULID.
const gueJob = "00000000000000000000000001"

// gueSchema is the table of gue's schema.sql, and a job.
var gueSchema = []string{
	`CREATE TABLE gue_jobs (
		job_id TEXT NOT NULL PRIMARY KEY, priority SMALLINT NOT NULL, run_at TIMESTAMPTZ NOT NULL, job_type TEXT NOT NULL, args BYTEA NOT NULL,
		error_count INTEGER NOT NULL DEFAULT 0, last_error TEXT, queue TEXT NOT NULL, created_at TIMESTAMPTZ NOT NULL, updated_at TIMESTAMPTZ NOT NULL)`,
	"CREATE INDEX idx_gue_jobs_selector ON gue_jobs (queue, run_at, priority)",
	"INSERT INTO gue_jobs (job_id, priority, run_at, job_type, args, queue, created_at, updated_at) VALUES ('" + gueJob + "', 0, '1999-01-01', 'work', '', 'work', '1999-01-01', '1999-01-01')",
}

// gueLocker locks the only job of the queue, and looks for it again after a while, as gue's worker does.
type gueLocker struct {
	c      *cell.Client
	client *gue.Client
}

func newGue(c *cell.Client) lock.Locker {
	client, _ := gue.NewClient(pgxv5.NewConnPool(postgres.Pool(c))) // fails without metrics alone
	return gueLocker{c, client}
}

func (l gueLocker) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		job, err := l.client.LockJob(ctx, "work")
		switch {
		case err != nil:
			return nil, err
		case job != nil:
			return gueLease{job}, nil
		}
		select {
		case <-l.c.Clock().After(l.c.TTL() / 4):
		case <-ctx.Done():
			return nil, errors.Join(lock.ErrNotAcquired, ctx.Err())
		}
	}
}

type gueLease struct{ job *gue.Job }

// Release ends the transaction and leaves the job there.
func (l gueLease) Release(ctx context.Context) error { return l.job.Done(ctx) }
