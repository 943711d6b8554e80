package recipe

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/lockpick-dev/lockpick/kube/kubelocks/internal/leases"
)

// Acquire waits for the lock until ctx is done.
func (c *Client) Acquire(ctx context.Context) (*Hold, error) {
	h := &Hold{client: c, id: c.NewIdentity(), lost: make(chan struct{})}
	h.over, h.stop = context.WithCancel(context.Background())
	for {
		held, err := h.try(ctx)
		switch {
		case held:
			h.renewAfter(c.Interval())
			return h, nil
		case Final(err):
			return h, fmt.Errorf("kubelocks: acquire: %w", err)
		}
		pause := c.Retry
		if err != nil {
			pause = shortPause
		}
		if failed := c.Rest(ctx, pause, err); failed != nil {
			return h, fmt.Errorf("kubelocks: acquire: %w", failed)
		}
	}
}

// shortPause is the pause after a request that was not answered, or came too late.
const shortPause = 100 * time.Millisecond

// try takes the Lease if it is free: if there is none, if nobody has it, or if it has not changed for as long as
// its holder has it, by this client's clock.
func (h *Hold) try(ctx context.Context) (held bool, err error) {
	c := h.client
	seen, err := c.Once(ctx, c.Patience(), c.API.Get)
	switch {
	case Code(err) == http.StatusNotFound:
		return h.take(ctx, &leases.Lease{}, c.API.Create)
	case err != nil:
		return false, err
	}
	now := c.Clock.Now() // and not before the answer: the change may be younger than the request
	if version := seen.Metadata.ResourceVersion; version != h.seen {
		h.seen, h.since = version, now
	}
	lasts := time.Duration(seen.Spec.LeaseDurationSeconds) * time.Second
	switch holder := seen.Spec.HolderIdentity; {
	case holder == "" || holder == h.id: // the latter by a request that was not answered
	case now.Sub(h.since) < lasts:
		return false, nil
	}
	return h.take(ctx, seen, c.API.Update)
}

// take writes the holder's name into the Lease.
func (h *Hold) take(ctx context.Context, seen *leases.Lease, write func(context.Context, *leases.Lease) (*leases.Lease, error)) (held bool, err error) {
	c := h.client
	mine := *seen
	sent := c.Clock.Now()
	if mine.Spec.HolderIdentity != h.id {
		mine.Spec.LeaseTransitions++
	}
	mine.Spec.HolderIdentity, mine.Spec.LeaseDurationSeconds = h.id, c.Seconds()
	mine.Spec.AcquireTime, mine.Spec.RenewTime = leases.Time(sent), leases.Time(sent)
	got, err := c.Once(ctx, c.Patience(), func(ctx context.Context) (*leases.Lease, error) { return write(ctx, &mine) })
	if err != nil {
		h.tried = h.tried || Open(err)
		return false, err
	}
	h.renewed(got, sent)
	return c.Clock.Now().Before(h.Until()), nil
}
