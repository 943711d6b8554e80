package flawed

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/s3/s3locks"
	"github.com/lockpick-dev/lockpick/s3/s3locks/internal/recipe"
)

// RepeatedPut is an object that PutObject with If-None-Match: * makes, as many programs do it: 412 means that another
// has the lock.
//
// Flawed: the library repeats a PUT whose answer was lost, or that S3 has answered with 500 InternalError and executed. The
// second one is refused with 412 by the object that the first one has made. The lock takes that for another's, and waits
// for a release that nobody makes (lost-reply, progress; server-errors, progress). So do several programs that take a lock by If-None-Match.
//
// Requests: acquire 1 without contention, release 1. A waiter makes 1 after each pause.
type RepeatedPut struct {
	object  recipe.Object
	options *recipe.Options
}

// NewRepeatedPut returns a locker by the object with the key. It is safe for concurrent use.
func NewRepeatedPut(client s3locks.Client, bucket, key string, options s3locks.Options) *RepeatedPut {
	o := recipe.New(recipe.Config(options))
	return &RepeatedPut{recipe.Object{Client: client, Bucket: bucket, Key: key, Options: o}, o}
}

// Acquire tries until it has made the object, or ctx is done.
func (l *RepeatedPut) Acquire(ctx context.Context) (lock.Lease, error) {
	owner := rand.Text()
	for {
		etag, _, err := l.object.Create(ctx, owner)
		if err == nil {
			return &putHold{of: l, etag: etag}, nil
		}
		if l.options.Rest(ctx) != nil {
			return nil, fmt.Errorf("flawed: acquire: %w", err)
		}
	}
}

// putHold is an object.
type putHold struct {
	of   *RepeatedPut
	etag string
	over bool
}

// Release removes the object. It returns [lock.ErrNotHeld] when it is called again.
func (h *putHold) Release(ctx context.Context) error {
	if h.over {
		return lock.ErrNotHeld
	}
	h.over = true
	for {
		err := h.of.object.Remove(ctx, h.etag)
		if err == nil || errors.Is(err, recipe.ErrAbsent) || errors.Is(err, recipe.ErrCondition) {
			return nil
		}
		if h.of.options.Rest(ctx) != nil {
			return fmt.Errorf("flawed: release: %w", err)
		}
	}
}
