package flawed

import (
	"context"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/filelocks"
)

// Deaf is [filelocks.Flock] without its Until and Lost: it takes itself for the holder until it releases the
// lock. A program that locks a file by flock(2) and never asks again is no better: it does not learn that the
// client of its file system has lost the lease.
//
// Flawed: when the lease expires while the process is stopped, or cut off from the server, another gets the lock, and
// the holder goes on (scenario gc-pause, property mutual-exclusion; session-expiry, timely-loss).
type Deaf struct{ inner *filelocks.Flock }

// NewDeaf returns a locker by the lock of the file of that name. It is safe for concurrent use.
func NewDeaf(files filelocks.Locking, name string, options filelocks.Options) *Deaf {
	return &Deaf{filelocks.NewFlock(files, name, options)}
}

// Acquire waits until the lock is held or ctx is done.
func (d *Deaf) Acquire(ctx context.Context) (lock.Lease, error) {
	lease, err := d.inner.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return deafHold{lease}, nil
}

// deafHold hides the optional methods of its lease.
type deafHold struct{ lock.Lease }
