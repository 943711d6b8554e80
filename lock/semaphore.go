package lock

import "context"

// A Semaphore has a number of permits. It belongs to one client process and is safe
// for concurrent use. Acquire takes one permit.
type Semaphore interface {
	Locker
	// AcquireN takes n permits at once, from 1 up to all: it waits until n are
	// free, and holds none before. The lease is for all of them. An n out of range
	// is refused with [ErrNotAcquired].
	AcquireN(ctx context.Context, n int) (Lease, error)
	// Available returns the number of permits that were free a moment ago.
	Available(ctx context.Context) (int, error)
}

// A PermitSemaphore is a semaphore whose leases run out by themselves and have IDs,
// by which another process can give them back. Its leases are [Identified].
type PermitSemaphore interface {
	Semaphore
	// ReleaseID gives back the permits of the lease with this ID. It returns
	// [ErrNotHeld] if the lease has run out or was given back before; after any
	// other error it may or may not have been given back.
	ReleaseID(ctx context.Context, id string) error
}

// An Identified lease has an ID that is unique in its store.
type Identified interface {
	ID() string
}
