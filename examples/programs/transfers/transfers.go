// Package transfers moves money between two accounts. Several clerks do, so each takes a lock.
package transfers

import (
	"context"
	"database/sql"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// Schema is two accounts with 100 each.
var Schema = []string{
	"CREATE TABLE accounts (name VARCHAR(16) NOT NULL PRIMARY KEY, balance BIGINT NOT NULL)",
	"INSERT INTO accounts (name, balance) VALUES ('alice', 100), ('bob', 100)",
}

// Total is what both have.
const Total = 200

// Clerk moves money.
type Clerk struct {
	DB    *sql.DB
	Lock  lock.Locker
	Sleep func(time.Duration)
	// Atomic makes one transaction of the two statements. Otherwise a clerk that dies between them leaves
	// a debit without a credit, which the lock does not prevent.
	Atomic bool
}

// Move moves an amount from one account to another, once.
func (c *Clerk) Move(ctx context.Context, from, to string, amount int64) error {
	for ctx.Err() == nil {
		lease, err := c.Lock.Acquire(ctx)
		if err != nil {
			c.Sleep(100 * time.Millisecond)
			continue
		}
		err = c.move(ctx, from, to, amount)
		_ = lease.Release(context.WithoutCancel(ctx)) // it ends with the session
		return err
	}
	return ctx.Err()
}

// executor is a database, or a transaction.
type executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func (c *Clerk) move(ctx context.Context, from, to string, amount int64) error {
	if !c.Atomic {
		return both(ctx, c.DB, from, to, amount)
	}
	tx, err := c.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := both(ctx, tx, from, to, amount); err != nil {
		return err
	}
	return tx.Commit()
}

// both debits and credits. After an error it must not go on: MySQL has rolled the transaction of a deadlock
// back, and would commit the second statement by itself.
func both(ctx context.Context, db executor, from, to string, amount int64) error {
	if err := add(ctx, db, from, -amount); err != nil {
		return err
	}
	return add(ctx, db, to, amount)
}

func add(ctx context.Context, db executor, account string, amount int64) error {
	_, err := db.ExecContext(ctx, "UPDATE accounts SET balance = balance + ? WHERE name = ?", amount, account)
	return err
}
