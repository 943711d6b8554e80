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

// Lease is an object with an owner, an end and a generation, which is never deleted: a client that finds its end passed, or no
// owner, takes it by PutObject with If-Match. So a PUT that is late, or is repeated, is refused.
//
// The end is by S3's own clock, as the Date of its answers shows it, in whole seconds: clocks of clients are not
// compared. The holder writes an end that is later by what it does not know of S3's clock, and claims the lease until the
// end cannot have come yet, by the Date of the answer to its PUT. So others take over up to two seconds later than they
// could.
//
// It guarantees mutual exclusion as long as holders respect Until. What breaks it: a pause of the process between its last
// look at Until and an access (scenario gc-pause, property overrun), an access that arrives late (two-step-release,
// overrun), and a clock of S3's that jumps ahead, or of whose servers one is ahead (server-clock-jump, mutual-exclusion).
// The generation is a fencing token: it grows with every acquisition, and a release leaves the object. Nothing else may
// delete it.
//
// Requests: acquire 2 without contention, release 1, extend 1. A waiter makes 1 after each pause.
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
	// Replaced is the owner of the lease before it, if that was not released. By it the owner knows whether a release
	// of its own that was not answered has taken effect.
	Replaced string `json:"replaced,omitempty"`
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
	replaced   string       // the owner before it
	etag       string       // of the version that it has written last, as far as it knows
	at         recipe.Stamp // the latest known time of S3
	until      time.Time    // by the client's clock
	released   bool
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
		h.generation, h.replaced, h.etag = r.Generation, r.Replaced, v.ETag
		if h.until = h.at.Until(r.End); clock.Now().Before(h.until) {
			return true, nil
		}
	case r.Owner != "" && h.at.Date.Before(r.End):
		return false, nil
	}
	own := Record{Owner: h.owner, Generation: r.Generation + 1, End: h.end(ttl), Replaced: r.Owner}
	var etag string
	var at recipe.Stamp
	if v.ETag == "" {
		etag, at, err = o.Create(ctx, own.text())
	} else {
		etag, at, err = o.Replace(ctx, v.ETag, own.text())
	}
	if err != nil {
		return false, err
	}
	h.generation, h.replaced, h.etag = own.Generation, own.Replaced, etag
	return h.claim(at, own.End, ttl), nil
}

// end returns the end of a lease that lasts for ttl from now, by S3's clock. It is a second later than it could be at the
// latest, so that the Date of the answer, which is in whole seconds, does not shorten the claim.
func (h *leaseHold) end(ttl time.Duration) time.Time {
	return h.at.Latest(h.of.options.Clock.Now()).Add(time.Second + ttl)
}

// claim sets until when it claims a lease with an end, which was granted by an answer, and reports whether that is later
// than now. If S3's clock has jumped since the end was computed, it may be earlier.
func (h *leaseHold) claim(at recipe.Stamp, end time.Time, ttl time.Duration) bool {
	until := at.Sent.Add(ttl)
	if !at.Date.IsZero() {
		h.at = at
		if sure := at.Until(end); sure.Before(until) {
			until = sure
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = until
	return h.of.options.Clock.Now().Before(until)
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
	for !h.over() {
		r := Record{Owner: h.owner, Generation: h.generation, End: h.end(ttl), Replaced: h.replaced}
		_, at, err := h.replace(ctx, r)
		before := h.Until()
		switch {
		case err == nil && !h.of.options.Clock.Now().Before(before):
			return lock.ErrNotHeld // the answer came too late: it has claimed nothing meanwhile
		case err == nil && h.claim(at, r.End, ttl) && h.Until().Sub(at.Sent) > ttl/2:
			return nil
		case err == nil: // S3's clock has jumped: now it knows its time
			continue
		case errors.Is(err, lock.ErrNotHeld):
			return err
		}
		if h.of.options.Rest(ctx) != nil {
			return fmt.Errorf("s3locks: extend: %w", err)
		}
	}
	return lock.ErrNotHeld
}

// replace replaces the version that it has written last, and returns the time of S3's answer. If that is another version
// by now, it looks whether the lease is its own all the same, and returns [lock.ErrNotHeld] with the present record if
// not.
func (h *leaseHold) replace(ctx context.Context, r Record) (found Record, at recipe.Stamp, err error) {
	etag, at, err := h.of.object.Replace(ctx, h.etag, r.text())
	switch {
	case err == nil:
		h.etag = etag
		return r, at, nil
	case !errors.Is(err, recipe.ErrCondition) && !errors.Is(err, recipe.ErrAbsent):
		return found, at, err
	}
	v, found, err := h.read(ctx)
	switch {
	case errors.Is(err, recipe.ErrAbsent):
		return found, at, lock.ErrNotHeld
	case err != nil:
		return found, at, err
	case found.text() == r.text():
		h.etag = v.ETag
		return found, h.at, nil
	case found.Owner != h.owner:
		return found, at, lock.ErrNotHeld
	}
	h.etag = v.ETag
	return found, at, errors.New("an earlier request, which was not answered, came after it")
}

// Release ends the lease: the object stays, without an owner. It tries until that is answered or ctx is done, and then in
// the background. It returns [lock.ErrNotHeld] if the lease had ended and another took it.
func (h *leaseHold) Release(ctx context.Context) error {
	if h.released {
		return lock.ErrNotHeld
	}
	for {
		found, _, err := h.replace(ctx, Record{Generation: h.generation})
		switch {
		case err == nil, errors.Is(err, lock.ErrNotHeld) && found.Generation == h.generation+1 && found.Replaced == "":
			h.released = true // perhaps by an earlier try, which was not answered
			return nil
		case errors.Is(err, lock.ErrNotHeld) && found.Generation > h.generation+1:
			return fmt.Errorf("s3locks: release: others had the lease since: %w", lock.ErrUnknown)
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
	if _, _, err = h.replace(ctx, Record{Generation: r.Generation}); errors.Is(err, lock.ErrNotHeld) {
		return nil
	}
	return err
}
