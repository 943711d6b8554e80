// Package reminders sends each reminder of a table once. Several workers run it, so one of them
// takes a lock before it looks for what is due.
package reminders

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-sql-driver/mysql"
)

// Schema is the tables. Sent is what [Worker] writes before it sends, if it is Careful.
var Schema = []string{
	"CREATE TABLE reminders (id BIGINT NOT NULL PRIMARY KEY, done BIGINT NOT NULL)",
	"CREATE TABLE sent (id BIGINT NOT NULL PRIMARY KEY, worker VARCHAR(32) NOT NULL)",
	"INSERT INTO reminders (id, done) VALUES (1, 0)",
}

// Worker sends reminders.
type Worker struct {
	DB   *sql.DB
	Lock *redsync.Mutex
	Name string
	// Send sends the mail.
	Send func(id int64)
	// Sleep waits between two looks.
	Sleep func(time.Duration)
	// Careful makes the worker write that it sends a reminder before it does: the primary key refuses
	// a second one. A worker that crashes in between has sent none, and none is sent.
	Careful bool
}

// Run works until the reminder is done, or ctx has ended.
func (w *Worker) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		done, err := w.round(ctx)
		if done || err != nil && ctx.Err() == nil && !temporary(err) {
			return err
		}
		w.Sleep(100 * time.Millisecond)
	}
	return nil
}

// temporary reports whether to try again: the lock is taken, or a server did not answer.
func temporary(err error) bool {
	refused := new(mysql.MySQLError)
	return !errors.As(err, &refused) || refused.Number == 1213 || refused.Number == 1205
}

// round takes the lock and sends what is due.
func (w *Worker) round(ctx context.Context) (done bool, err error) {
	if err := w.Lock.LockContext(ctx); err != nil {
		return false, err
	}
	defer func() { _, _ = w.Lock.UnlockContext(context.WithoutCancel(ctx)) }()
	var sent int
	if err := w.DB.QueryRowContext(ctx, "SELECT done FROM reminders WHERE id = 1").Scan(&sent); err != nil || sent > 0 {
		return sent > 0, err
	}
	if w.Careful {
		_, err := w.DB.ExecContext(ctx, "INSERT INTO sent (id, worker) VALUES (1, ?)", w.Name)
		if duplicate := new(mysql.MySQLError); errors.As(err, &duplicate) && duplicate.Number == 1062 {
			return true, nil // another has it, or had it and crashed
		}
		if err != nil {
			return false, err
		}
	}
	w.Send(1)
	_, err = w.DB.ExecContext(ctx, "UPDATE reminders SET done = 1 WHERE id = 1")
	return err == nil, err
}
