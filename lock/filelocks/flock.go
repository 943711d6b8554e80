package filelocks

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/filelocks/internal/recipe"
)

// Flock is the lock of a file, which lives with the lease of the file system's client, as flock(2) does
// over NFSv4. The client renews the lease while there is a lock, and reclaims the lock after a restart of the
// server.
//
// It guarantees mutual exclusion as long as holders respect Until or Lost. What breaks it: a pause of the
// process between its last look at Until and an access (scenario gc-pause, property overrun), an access that
// arrives late (two-step-release, overrun), and a clock of the server's that jumps ahead (server-clock-jump).
// A server that restarts grants no lock to others until its clients have reclaimed theirs. There is no fencing
// token.
//
// Requests: acquire 1 without contention, release 1, and one every quarter of the lease while the lock is
// held; a waiter asks again after each pause.
type Flock struct {
	files   Locking
	name    string
	options *recipe.Options
}

// NewFlock returns a locker by the lock of the file of that name. It is safe for concurrent use.
func NewFlock(files Locking, name string, options Options) *Flock {
	return &Flock{files, name, options.recipe()}
}

// Acquire waits until the lock is held, ctx is done, or the file system refuses for good. If it returns an error, a
// lock that it may have got is given up in the background.
func (f *Flock) Acquire(ctx context.Context) (lock.Lease, error) {
	h := &flockHold{of: f, owner: rand.Text()}
	open := false
	for {
		lost, err := f.files.Lock(ctx, f.name, h.owner)
		open = open || !errors.Is(err, lock.ErrNotAcquired)
		if err == nil {
			if h.lost = lost; f.options.Clock.Now().Before(h.Until()) {
				return h, nil
			}
			err = f.files.Unlock(ctx, f.name, h.owner) // the answer arrived too late
		}
		if !recipe.Final(err) {
			err = f.options.Rest(ctx)
		}
		if err != nil {
			if open {
				f.options.Afterwards(h.unlock)
			}
			return nil, recipe.Failed("acquire", err)
		}
	}
}

// flockHold is one lock of the file.
type flockHold struct {
	of    *Flock
	owner string
	lost  <-chan struct{}
}

// Until returns the end of the lock by the client's clock, unless the lease is renewed.
func (h *flockHold) Until() time.Time { return h.of.files.Until(h.of.name, h.owner) }

// Lost is closed when the lock is lost, or may be.
func (h *flockHold) Lost() <-chan struct{} { return h.lost }

// Release gives the lock up. It returns [lock.ErrNotHeld] if the lock was lost or released before. After
// any other error it is unknown whether the lock was given up, and Release retries in the background.
func (h *flockHold) Release(ctx context.Context) error {
	err := h.of.files.Unlock(ctx, h.of.name, h.owner)
	if err == nil || errors.Is(err, lock.ErrNotHeld) {
		return err
	}
	h.of.options.Afterwards(h.unlock)
	return recipe.Failed("release", err)
}

// unlock gives the lock up, if the owner has it.
func (h *flockHold) unlock(ctx context.Context) error {
	err := h.of.files.Unlock(ctx, h.of.name, h.owner)
	if errors.Is(err, lock.ErrNotHeld) {
		return nil
	}
	return err
}
