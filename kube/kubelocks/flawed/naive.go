package flawed

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/kube/kubelocks"
	"github.com/lockpick-dev/lockpick/kube/kubelocks/internal/leases"
	"github.com/lockpick-dev/lockpick/kube/kubelocks/internal/recipe"
	"github.com/lockpick-dev/lockpick/lock"
)

// NaiveLease is a Lease that is free if nobody has it, or if its renewTime and leaseDurationSeconds are over by the
// client's clock. It is taken, renewed and released by patches.
//
// Flawed: a patch without a resourceVersion applies to whatever Lease there is. Two clients that find the Lease free
// both take it (contention: mutual-exclusion); a holder that is late renews what is another's, and releases it
// (owner-only-release). The times of one clock are compared with those of another (clock-skew). [kubelocks.Lease]
// compares versions, and no clocks.
//
// Requests: two to acquire a free lock, one to release it, and a renewal each third of the time to live.
type NaiveLease struct{ client *recipe.Client }

// NewNaiveLease returns a locker for the Lease of a name, at the API server of a URL. It is safe for concurrent use.
func NewNaiveLease(client *http.Client, url, namespace, name string, o kubelocks.Options) *NaiveLease {
	return &NaiveLease{recipe.New(client, url, namespace, name, recipe.Options(o))}
}

// Acquire waits for the lock until ctx is done.
func (l *NaiveLease) Acquire(ctx context.Context) (lock.Lease, error) {
	c := l.client
	h := &naiveHold{client: c, id: c.NewIdentity()}
	for {
		err := h.try(ctx)
		if err == nil {
			h.renewLater()
			return h, nil
		}
		if err := c.Rest(ctx, c.Retry, err); err != nil {
			return nil, fmt.Errorf("kubelocks: acquire: %w", err)
		}
	}
}

// naiveHold is a Lease that was patched.
type naiveHold struct {
	client *recipe.Client
	id     string

	mu       sync.Mutex
	until    time.Time
	next     clockwork.Timer
	released bool
}

// try takes the Lease if it is free.
func (h *naiveHold) try(ctx context.Context) error {
	c := h.client
	seen, err := c.Once(ctx, c.Patience(), c.API.Get)
	switch {
	case recipe.Code(err) == http.StatusNotFound:
		if _, err = c.Once(ctx, c.Patience(), func(ctx context.Context) (*leases.Lease, error) { return c.API.Create(ctx, &leases.Lease{}) }); err != nil {
			return err
		}
	case err != nil:
		return err
	case !h.free(seen):
		return fmt.Errorf("%s has it", seen.Spec.HolderIdentity)
	}
	return h.patch(ctx, h.id)
}

// free reports whether nobody has the Lease any more, by its times.
func (h *naiveHold) free(l *leases.Lease) bool {
	if l.Spec.HolderIdentity == "" {
		return true
	}
	renewed, err := time.Parse(time.RFC3339Nano, l.Spec.RenewTime)
	return err != nil || h.client.Clock.Now().After(renewed.Add(time.Duration(l.Spec.LeaseDurationSeconds)*time.Second))
}

// patch writes a holder, and the time.
func (h *naiveHold) patch(ctx context.Context, holder string) error {
	c := h.client
	_, err := c.Once(ctx, c.Patience(), func(ctx context.Context) (*leases.Lease, error) {
		return c.API.Patch(ctx, map[string]any{"holderIdentity": holder, "renewTime": leases.Time(c.Clock.Now()), "leaseDurationSeconds": c.Seconds()})
	})
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = c.Clock.Now().Add(c.TTL)
	return nil
}

// renewLater renews the Lease, unless it was released.
func (h *naiveHold) renewLater() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		return
	}
	h.next = h.client.Clock.AfterFunc(h.client.Interval(), func() {
		_ = h.patch(context.Background(), h.id) // or by the next renewal
		h.renewLater()
	})
}

// ID returns the holder's name.
func (h *naiveHold) ID() string { return h.id }

// Until returns the end of the claim.
func (h *naiveHold) Until() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.until
}

// Release empties holderIdentity, even if another client holds the Lease.
func (h *naiveHold) Release(ctx context.Context) error {
	h.mu.Lock()
	h.released = true
	h.next.Stop()
	h.mu.Unlock()
	if err := h.patch(ctx, ""); err != nil {
		return fmt.Errorf("kubelocks: release: %w", err)
	}
	return nil
}
