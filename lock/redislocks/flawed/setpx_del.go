package flawed

import (
	"context"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
)

// SetPXDel is [redislocks.SetPX] released by a plain DEL, which the articles on pull-mode
// locks print first, to warn of it. It is flawed.
//
// Guarantee: that of SetPX for holds that are shorter than the TTL.
//
// What breaks it: a client that releases after its lease has ended deletes the key
// of the next holder, and a third client gets the lock (scenarios gc-pause and
// two-step-release, property owner-only-release); so does a DEL that go-redis sends
// again because its answer was lost (lost-reply, owner-only-release). And all that
// breaks SetPX.
//
// Commands: acquire 1 a try, release 1. Defaults: those of SetPX.
type SetPXDel struct {
	client  setNXClient
	name    string
	options polling.Options
}

// NewSetPXDel returns a locker for the lock of the given name, which is the
// key. It is safe for concurrent use if options.Rand is nil.
func NewSetPXDel(client setNXClient, name string, options redislocks.Options) *SetPXDel {
	return &SetPXDel{client: client, name: name, options: withDefaults(options)}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPXDel) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.Spin(ctx, polling.SetNX(l.client, l.name, func(string) lock.Lease {
		return delLease{l.client, l.name}
	}))
}
