// Package adapter has a program that locks a session locker of pressly/goose. The modules of v3.30.0 and v3.30.1 share it.
package adapter

import (
	"context"
	"time"

	"github.com/pressly/goose/v3/lock"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// patience is the rule.
const patience = "a locked lock is waited for until the time-out"

// The locker looks once a second, and waits for four seconds at the most.
const (
	period = 1
	times  = 4
)

// Locking locks one locker again and again in each of its processes, as a service does that migrates the database of each
// new customer.
var Locking = cell.Program{
	ID: "goose-locker", Summary: "a session locker of goose that is used for long",
	Stores: []stage.Store{postgres.Store}, Rules: []program.Rule{program.Always(patience)}, Main: lockOften,
}

func lockOften(p *cell.Process) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(period, times))
	if err != nil {
		return err
	}
	db := postgres.Connect(p)
	for range 6 {
		conn, err := db.Conn(p.Context())
		if err != nil {
			return nil
		}
		begin := p.Clock().Now()
		err = locker.SessionLock(p.Context(), conn)
		if err != nil && err.Error() == "failed to acquire lock" {
			waited := p.Clock().Now().Sub(begin)
			p.Always(waited >= times*period*time.Second, patience, "gave up after", waited)
		}
		if err == nil {
			p.Always(true, patience)
			p.Clock().Sleep(1500 * time.Millisecond)
			_ = locker.SessionUnlock(context.WithoutCancel(p.Context()), conn)
		}
		_ = conn.Close()
		p.Clock().Sleep(500 * time.Millisecond)
	}
	return nil
}
