package redislocks

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// SetPXCAD is [SetPX] that deletes with CAD, compare-and-delete: a command of
// Alibaba Cloud's Tair that articles on pull-mode locks recommend. The locker
// asks a server that does not know the command once, and from then on runs the
// script instead.
//
// Guarantees, and what breaks it: as SetPX. On a server with the command there is
// no script to load, or to load again when the server has forgotten it (restart,
// failover).
//
// Commands: acquire 1 a try, release 1. Defaults: those of SetPX.
type SetPXCAD struct{ comparing }

// comparing is shared by the locks that compare and delete by a command of the server.
type comparing struct {
	client  comparingClient
	name    string
	options Options
	// command returns the command that deletes the key if it has the value.
	command func(value string) []any
	// unknown is set when the server has answered that it does not know the command.
	unknown atomic.Bool
}

type comparingClient interface {
	polling.SetPXClient
	Do(ctx context.Context, args ...any) *redis.Cmd
}

// NewSetPXCAD returns a locker for the lock of the given name, which is the
// key. It is safe for concurrent use if options.Rand is nil.
func NewSetPXCAD(client comparingClient, name string, options Options) *SetPXCAD {
	return &SetPXCAD{comparing{
		client: client, name: name, options: options.withDefaults(),
		command: func(value string) []any { return []any{"cad", name, value} },
	}}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPXCAD) Acquire(ctx context.Context) (lock.Lease, error) { return l.acquire(ctx) }

// SetPXDelEx is [SetPX] that deletes with DELEX and its condition IFEQ, which Redis has since
// 8.4. The locker asks a server that does not know the command once, and from then on runs
// the script instead.
//
// Guarantees, and what breaks it: as SetPX. On a server with the command there is no script to
// load, or to load again when the server has forgotten it (restart, failover).
//
// Commands: acquire 1 a try, release 1. Defaults: those of SetPX.
type SetPXDelEx struct{ comparing }

// NewSetPXDelEx returns a locker for the lock of the given name, which is the
// key. It is safe for concurrent use if options.Rand is nil.
func NewSetPXDelEx(client comparingClient, name string, options Options) *SetPXDelEx {
	return &SetPXDelEx{comparing{
		client: client, name: name, options: options.withDefaults(),
		command: func(value string) []any { return []any{"delex", name, "ifeq", value} },
	}}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPXDelEx) Acquire(ctx context.Context) (lock.Lease, error) { return l.acquire(ctx) }

func (l *comparing) acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.spin(ctx, polling.SetNX(l.client, l.name, func(value string) lock.Lease {
		return &comparingLease{scripts.Lease{Client: l.client, Name: l.name, Value: value}, l}
	}))
}

type comparingLease struct {
	scripts.Lease
	lock *comparing
}

// Release deletes the key if it is still this acquisition's.
func (l *comparingLease) Release(ctx context.Context) error {
	if l.lock.unknown.Load() {
		return l.Lease.Release(ctx)
	}
	// 1: deleted; 0: it has another value; 0 or -1: there is no such key.
	n, err := l.lock.client.Do(ctx, l.lock.command(l.Value)...).Int()
	switch {
	case err != nil && strings.HasPrefix(err.Error(), "ERR unknown command"):
		l.lock.unknown.Store(true)
		return l.Lease.Release(ctx)
	case err != nil:
		return fmt.Errorf("redislocks: release: %w", err)
	case n != 1:
		return lock.ErrNotHeld
	}
	return nil
}
