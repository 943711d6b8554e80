// Package controller has controllers of which one leads, elected by etcd. The leader writes the state of
// the world into MySQL.
package controller

import (
	"context"
	"database/sql"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Schema is the state: a value that counts up, and the leader's number.
var Schema = []string{
	"CREATE TABLE state (id BIGINT NOT NULL PRIMARY KEY, term BIGINT NOT NULL, value BIGINT NOT NULL)",
	"INSERT INTO state (id, term, value) VALUES (1, 0, 0)",
}

// Controller is one of them.
type Controller struct {
	Etcd  *clientv3.Client
	DB    *sql.DB
	Name  string
	TTL   int // of its session, in seconds
	Sleep func(time.Duration)
	// Fenced makes the leader look, in the transaction of its write, whether a newer one has written, and
	// then write nothing. The number is that of the key's creation in etcd.
	Fenced bool
	// Wrote is told of each write: the number of the leader that had written before, and the own.
	Wrote func(before, term int64)
}

// Lead waits until it leads, and writes so many times.
func (c *Controller) Lead(ctx context.Context, times int) error {
	session, err := concurrency.NewSession(c.Etcd, concurrency.WithTTL(c.TTL), concurrency.WithContext(ctx))
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	election := concurrency.NewElection(session, "/leader")
	if err := election.Campaign(ctx, c.Name); err != nil {
		return err
	}
	for range times {
		select {
		case <-session.Done():
			return nil // another leads
		default:
		}
		c.Sleep(200 * time.Millisecond)
		if err := c.write(ctx, election.Rev()); err != nil {
			return err
		}
	}
	return election.Resign(context.WithoutCancel(ctx))
}

func (c *Controller) write(ctx context.Context, term int64) error {
	tx, err := c.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var before int64
	if err := tx.QueryRowContext(ctx, "SELECT term FROM state WHERE id = 1 FOR UPDATE").Scan(&before); err != nil {
		return err
	}
	if c.Fenced && before > term {
		return nil
	}
	if _, err := tx.ExecContext(ctx, "UPDATE state SET value = value + 1, term = ? WHERE id = 1", term); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	c.Wrote(before, term)
	return nil
}
