package litestream_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/benbjohnson/litestream"
	litestreams3 "github.com/benbjohnson/litestream/s3"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/s3"
)

// locker is litestream's leaser as a program would use it. One that finds a lease of another tries again every
// second; with another error it gives up. Each acquisition has a leaser of its own, since a program has one.
type locker struct {
	client litestreams3.S3API
	name   string
	ttl    time.Duration
}

func newLock(c *cell.Client) lock.Locker { return locker{s3.Connect(c), c.LockName(), c.TTL()} }

// leaser has the library's defaults but for the time to live, and for the owner's name, which is that of a process.
func (l locker) leaser() *litestreams3.Leaser {
	made := litestreams3.NewLeaser()
	made.SetLogger(slog.New(slog.DiscardHandler))
	made.SetClient(l.client)
	made.Bucket, made.Path, made.TTL, made.Owner = s3.Bucket, l.name, l.ttl, rand.Text()
	return made
}

func (l locker) Acquire(ctx context.Context) (lock.Lease, error) {
	leaser := l.leaser()
	for {
		held, err := acquire(ctx, leaser)
		if !errors.Is(err, lock.ErrNotAcquired) {
			return held, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (l locker) TryAcquire(ctx context.Context) (lock.Lease, error) { return acquire(ctx, l.leaser()) }

func acquire(ctx context.Context, leaser *litestreams3.Leaser) (lock.Lease, error) {
	held, err := leaser.AcquireLease(ctx)
	var exists *litestream.LeaseExistsError
	switch {
	case errors.As(err, &exists):
		return nil, fmt.Errorf("%w: %w", lock.ErrNotAcquired, err)
	case err != nil:
		return nil, err
	}
	return &lease{leaser, held}, nil
}

// lease is a lease as the leaser knows it.
type lease struct {
	leaser *litestreams3.Leaser
	held   *litestream.Lease
}

func (l *lease) Until() time.Time { return l.held.ExpiresAt }

func (l *lease) Release(ctx context.Context) error { return known(l.leaser.ReleaseLease(ctx, l.held)) }

// Extend ignores the TTL: a leaser has its own.
func (l *lease) Extend(ctx context.Context, _ time.Duration) error {
	renewed, err := l.leaser.RenewLease(ctx, l.held)
	if err != nil {
		return known(err)
	}
	l.held = renewed
	return nil
}

// known translates an error of the leaser into one of package lock.
func known(err error) error {
	if errors.Is(err, litestream.ErrLeaseNotHeld) || errors.Is(err, litestreams3.ErrLeaseAlreadyReleased) {
		return fmt.Errorf("%w: %w", lock.ErrNotHeld, err)
	}
	return err
}

// view returns the owner of the lease and its end, which the object has by the owner's clock.
var view = model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
	if r.Key != cell.LockName+"/"+litestreams3.DefaultLeasePath {
		return nil, nil
	}
	var l litestream.Lease
	if err := json.Unmarshal([]byte(r.Value.Text), &l); err != nil {
		return nil, fmt.Errorf("the object %s is no lease: %w", r.Key, err)
	}
	return []model.Share{{Holder: l.Owner, Count: 1, Until: l.ExpiresAt.Sub(cell.Epoch)}}, nil
})
