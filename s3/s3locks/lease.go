package s3locks

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/s3/s3locks/internal/recipe"
)

// Lease is an object with an owner, an end and a generation, which is never deleted: whoever finds its end passed, or no
// owner, takes it by PutObject with If-Match. So a PUT that is late, or is repeated, is refused.
//
// The end is by S3's own clock, as the Date of its answers shows it, in whole seconds: clocks of clients are not
// compared. The holder counts from when it sends its PUT, and writes an end that is later by all that it does not know
// of S3's clock. So others take over up to a second later than they could.
type Lease struct {
	object  recipe.Object
	options *recipe.Options
}

// NewLease returns a locker by the object with the key. It is safe for concurrent use.
func NewLease(client Client, bucket, key string, options Options) *Lease {
	o := options.recipe()
	return &Lease{recipe.Object{Client: client, Bucket: bucket, Key: key, Options: o}, o}
}

// Record is the content of the object of a [Lease].
type Record struct {
	// Owner is a random value of an acquisition, empty after its release.
	Owner string `json:"owner"`
	// Generation is the number of the acquisition.
	Generation int64 `json:"generation"`
	// End is the end of the lease by S3's clock.
	End time.Time `json:"end,omitzero"`
}

func (r Record) text() string {
	text, _ := json.Marshal(r) // which has nothing that JSON lacks
	return string(text)
}

// Acquire waits until the lock is held or ctx is done. If it returns an error, a lease that it may have got is given up
// in the background.
func (l *Lease) Acquire(ctx context.Context) (lock.Lease, error) {
	h := &leaseHold{of: l, owner: rand.Text()}
	ttl := lock.TTL(ctx, l.options.TTL)
	for {
		held, err := h.try(ctx, ttl)
		if held {
			return h, nil
		}
		if err == nil || !errors.Is(err, recipe.ErrCondition) && !errors.Is(err, recipe.ErrAbsent) {
			err = l.options.Rest(ctx)
		} else {
			err = ctx.Err() // somebody was faster, perhaps an earlier try: look at once
		}
		if err != nil {
			l.options.Afterwards(h.giveUp)
			return nil, fmt.Errorf("s3locks: acquire: %w", err)
		}
	}
}

// leaseHold is one acquisition of a [Lease].
type leaseHold struct {
	of    *Lease
	owner string

	mu         sync.Mutex // never held while anything is waited for
	generation int64
	etag       string       // of the version that it has written last, as far as it knows
	at         recipe.Stamp // the latest known time of S3
	until      time.Time    // by the client's clock
	first      time.Time    // when the first PUT was sent that may have taken the lease unseen; zero if there is none
}

// try takes the lease if its end has passed, and reports whether it has it.
func (h *leaseHold) try(ctx context.Context, ttl time.Duration) (held bool, err error) {
	o, clock := &h.of.object, h.of.options.Clock
	v, r, err := h.read(ctx)
	switch {
	case errors.Is(err, recipe.ErrAbsent):
	case err != nil:
		return false, err
	case r.Owner == h.owner:
		if h.until = h.first.Add(ttl); clock.Now().Before(h.until) {
			h.generation, h.etag = r.Generation, v.ETag
			return true, nil
		}
	case r.Owner != "" && h.at.Date.Before(r.End):
		return false, nil
	}
	sent := clock.Now()
	if h.first.IsZero() {
		h.first = sent
	}
	own := Record{h.owner, r.Generation + 1, h.at.Latest(sent).Add(ttl)}
	var etag string
	if v.ETag == "" {
		etag, _, err = o.Create(ctx, own.text())
	} else {
		etag, _, err = o.Replace(ctx, v.ETag, own.text())
	}
	if err != nil {
		return false, err
	}
	h.generation, h.etag, h.first, h.until = own.Generation, etag, sent, sent.Add(ttl)
	return clock.Now().Before(h.until), nil
}

// read returns the present version, and notes S3's time.
func (h *leaseHold) read(ctx context.Context) (v recipe.Version, r Record, err error) {
	v, at, err := h.of.object.Read(ctx)
	if err != nil && !errors.Is(err, recipe.ErrAbsent) {
		return v, r, err
	}
	if at.Date.IsZero() {
		return v, r, errors.New("the answer has no date")
	}
	h.at = at
	if err == nil {
		if err = json.Unmarshal([]byte(v.Content), &r); err != nil {
			err = fmt.Errorf("the object %s of the bucket %s is no lease: %w", h.of.object.Key, h.of.object.Bucket, err)
		}
	}
	return v, r, err
}

// Until returns the end of the lease by the client's clock.
func (h *leaseHold) Until() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.until
}

// Token returns the generation, which grows with every acquisition.
func (h *leaseHold) Token() int64 { return h.generation }

// over reports whether the lease has ended by the client's clock.
func (h *leaseHold) over() bool { return !h.of.options.Clock.Now().Before(h.Until()) }

// Extend makes the lease last for ttl from now. It returns [lock.ErrNotHeld] if it had ended. After another error it may
// or may not last longer in S3; the client goes by the old end.
func (h *leaseHold) Extend(ctx context.Context, ttl time.Duration) error {
	for {
		if h.over() {
			return lock.ErrNotHeld
		}
		sent := h.of.options.Clock.Now()
		err := h.replace(ctx, Record{h.owner, h.generation, h.at.Latest(sent).Add(ttl)})
		if err == nil && h.over() {
			return lock.ErrNotHeld // the answer came too late: it has claimed nothing meanwhile
		}
		if err == nil {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.until = sent.Add(ttl)
			return nil
		}
		if errors.Is(err, lock.ErrNotHeld) {
			return err
		}
		if h.of.options.Rest(ctx) != nil {
			return fmt.Errorf("s3locks: extend: %w", err)
		}
	}
}

// replace replaces the version that it has written last. If that is another by now, it looks whether the lease is its
// own all the same, and returns [lock.ErrNotHeld] if not.
func (h *leaseHold) replace(ctx context.Context, r Record) error {
	etag, at, err := h.of.object.Replace(ctx, h.etag, r.text())
	switch {
	case err == nil:
		h.etag = etag
		if !at.Date.IsZero() {
			h.at = at
		}
		return nil
	case !errors.Is(err, recipe.ErrCondition) && !errors.Is(err, recipe.ErrAbsent):
		return err
	}
	v, found, err := h.read(ctx)
	switch {
	case errors.Is(err, recipe.ErrAbsent):
		return lock.ErrNotHeld
	case err != nil:
		return err
	case found == r || found.Generation == r.Generation && found.Owner == r.Owner && found.End.Equal(r.End):
		h.etag = v.ETag
		return nil
	case found.Owner != h.owner:
		return lock.ErrNotHeld
	}
	h.etag = v.ETag
	return errors.New("an earlier request, which was not answered, came after it")
}

// Release ends the lease: the object stays, without an owner. It tries until that is answered or ctx is done, and then in
// the background. It returns [lock.ErrNotHeld] if the lease had ended, and another had it or has it.
func (h *leaseHold) Release(ctx context.Context) error {
	ended := h.over()
	for {
		err := h.replace(ctx, Record{Generation: h.generation})
		switch {
		case err == nil:
			return nil
		case errors.Is(err, lock.ErrNotHeld) && !ended && !h.over():
			return nil // nobody can have taken it over before, so an earlier try has ended it
		case errors.Is(err, lock.ErrNotHeld):
			return err
		}
		if h.of.options.Rest(ctx) != nil {
			h.of.options.Afterwards(h.giveUp)
			return fmt.Errorf("s3locks: release: %w", err)
		}
	}
}

// giveUp ends the lease if it is its own.
func (h *leaseHold) giveUp(ctx context.Context) error {
	v, r, err := h.read(ctx)
	switch {
	case errors.Is(err, recipe.ErrAbsent) || err == nil && r.Owner != h.owner:
		return nil
	case err != nil:
		return err
	}
	h.etag, h.generation = v.ETag, r.Generation
	if err = h.replace(ctx, Record{Generation: r.Generation}); errors.Is(err, lock.ErrNotHeld) {
		return nil
	}
	return err
}
