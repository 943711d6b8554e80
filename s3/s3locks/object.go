package s3locks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/s3/s3locks/internal/recipe"
)

// Object is an object that exists as long as somebody has the lock: PutObject with If-None-Match: * takes it,
// DeleteObject with If-Match releases it. Its content is a random value of the acquisition's own, by which a client
// recognizes an object of its own whose PUT was not answered, or was repeated by the library and refused.
//
// It guarantees mutual exclusion as long as nobody but its lockers removes the object. It has no end: the object of a
// holder that crashes stays until somebody removes it by hand (scenario holder-crash, property progress). So does one that
// a PUT makes when it arrives after its client has given it up, has made the object by another PUT, and has removed that
// (late-request, progress). A lock that must not get stuck needs an end, as [Lease] has. There is no fencing token.
//
// Requests: acquire 1 without contention, release 1. A waiter makes 2 after each pause.
type Object struct {
	object  recipe.Object
	options *recipe.Options
}

// NewObject returns a locker by the object with the key. It is safe for concurrent use.
func NewObject(client Client, bucket, key string, options Options) *Object {
	o := options.recipe()
	return &Object{recipe.Object{Client: client, Bucket: bucket, Key: key, Options: o}, o}
}

// Acquire waits until the lock is held or ctx is done. If it returns an error, an object that it may have made is
// removed in the background.
func (o *Object) Acquire(ctx context.Context) (lock.Lease, error) {
	h := &objectHold{of: o, owner: rand.Text()}
	for {
		mine, err := h.make(ctx)
		if mine {
			return h, nil
		}
		if over := o.options.Rest(ctx); over != nil {
			o.options.Afterwards(h.clean)
			if err != nil {
				return nil, fmt.Errorf("s3locks: acquire: %w; the last request: %w", over, err)
			}
			return nil, fmt.Errorf("s3locks: acquire: %w", over)
		}
	}
}

// objectHold is an object of one acquisition.
type objectHold struct {
	of    *Object
	owner string
	etag  string
	over  bool
}

// make makes the object, and reports whether the present one is its own.
func (h *objectHold) make(ctx context.Context) (mine bool, err error) {
	h.etag, _, err = h.of.object.Create(ctx, h.owner)
	if !errors.Is(err, recipe.ErrCondition) {
		return err == nil, err
	}
	return h.look(ctx)
}

// look reports whether the present object is its own.
func (h *objectHold) look(ctx context.Context) (mine bool, err error) {
	v, _, err := h.of.object.Read(ctx)
	switch {
	case errors.Is(err, recipe.ErrAbsent):
		return false, nil
	case err != nil:
		return false, err
	}
	h.etag = v.ETag
	return v.Content == h.owner, nil
}

// clean removes the object if it is there.
func (h *objectHold) clean(ctx context.Context) error {
	mine, err := h.look(ctx)
	if err != nil || !mine {
		return err
	}
	return h.remove(ctx)
}

// remove removes the object. If it is gone, an earlier try has removed it: nobody else does.
func (h *objectHold) remove(ctx context.Context) error {
	err := h.of.object.Remove(ctx, h.etag)
	if errors.Is(err, recipe.ErrAbsent) || errors.Is(err, recipe.ErrCondition) {
		return nil
	}
	return err
}

// Release removes the object. It returns [lock.ErrNotHeld] when it is called again. After any other error it is unknown
// whether the object was removed, and Release goes on in the background.
func (h *objectHold) Release(ctx context.Context) error {
	if h.over {
		return lock.ErrNotHeld
	}
	h.over = true
	for {
		err := h.remove(ctx)
		if err == nil {
			return nil
		}
		if h.of.options.Rest(ctx) != nil {
			h.of.options.Afterwards(h.remove)
			return fmt.Errorf("s3locks: release: %w", err)
		}
	}
}
