package flawed

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// SetPXQuietReleasePrinted is [redislocks.SetPX] released as an article on pull-mode locks prints it: it runs
// the sound script, drops its answer, catches every exception ("Ignore"), and returns nothing. It is flawed.
//
// Guarantee: that of SetPX. A release removes no other client's lock.
//
// What breaks it: its caller believes that it has released the lock, whatever has happened. A lease that had ended before
// is released with success, although another client may have had the lock meanwhile (scenarios gc-pause and
// two-step-release, property truthful-release). A release that failed, or whose context ended first, leaves its key,
// and nobody knows: the others wait for the rest of the lease (scenario cancel, property no-orphan). And all that breaks SetPX.
//
// Commands: acquire 1 a try, release 1. Defaults: those of SetPX.
type SetPXQuietReleasePrinted struct {
	client  polling.SetPXClient
	name    string
	options polling.Options
}

// NewSetPXQuietReleasePrinted returns a locker for the lock of the given name, which is the
// key. It is safe for concurrent use if options.Rand is nil.
func NewSetPXQuietReleasePrinted(client polling.SetPXClient, name string, options redislocks.Options) *SetPXQuietReleasePrinted {
	return &SetPXQuietReleasePrinted{client: client, name: name, options: withDefaults(options)}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPXQuietReleasePrinted) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.Spin(ctx, polling.SetNX(l.client, l.name, func(value string) lock.Lease {
		return quietLease{l.client, l.name, value}
	}))
}

type quietLease struct {
	client      redis.Scripter
	name, value string
}

// Release deletes the key if it is still this acquisition's, and reports success in any case.
func (l quietLease) Release(ctx context.Context) error {
	_ = scripts.Delete(ctx, l.client, l.name, l.value) // as printed
	return nil
}
