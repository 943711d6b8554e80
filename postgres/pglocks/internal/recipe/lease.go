package recipe

import (
	"context"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// The statements of leases in rows. An end is computed by clock_timestamp() in SET and WHERE, which are
// evaluated when the row is locked, and not by now(), which is the time of the transaction's beginning.
const (
	// TakeLease takes a lease for an owner, unless another's has not ended.
	TakeLease = `INSERT INTO lock_leases (name, owner, version, expires) VALUES ($1, $2, 1, clock_timestamp() + $3::interval)
ON CONFLICT (name) DO UPDATE SET owner = $2, version = lock_leases.version + 1, expires = clock_timestamp() + $3::interval
WHERE lock_leases.owner = $2 OR lock_leases.expires <= clock_timestamp() RETURNING version`
	extendLease = `UPDATE lock_leases SET expires = clock_timestamp() + $3::interval WHERE name = $1 AND owner = $2 AND expires > clock_timestamp()`
	// EndLease ends the lease of an owner.
	EndLease = `UPDATE lock_leases SET owner = '', expires = '2000-01-01' WHERE name = $1 AND owner = $2 AND expires > clock_timestamp()`
)

// Hold is a lease in a row, which lasts as long as its owner extends it.
type Hold struct {
	On          Runner
	Name, Owner string
	Options     *Options
	// Extends and Gives are the statements that extend and end the lease, if not the usual ones.
	Extends, Gives string

	mu sync.Mutex
	// Ends is the end of the lease by the client's clock, set by the client that takes it.
	Ends time.Time
}

// Until returns the end of the lease by the client's clock.
func (h *Hold) Until() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.Ends
}

// Extend makes the lease last for ttl from now. It returns [lock.ErrNotHeld] if it had ended. After another
// error it may or may not last longer.
func (h *Hold) Extend(ctx context.Context, ttl time.Duration) error {
	statement := h.Extends
	if statement == "" {
		statement = extendLease
	}
	sent := h.Options.Clock.Now()
	n, err := h.Options.Exec(ctx, h.On, statement, h.Name, h.Owner, ttl)
	switch {
	case err != nil:
		return LockError("extend", err)
	case n == 0 || h.Options.Clock.Now().After(sent.Add(ttl)):
		return lock.ErrNotHeld
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Ends = sent.Add(ttl)
	return nil
}

// GiveBack returns the statement that ends the owner's lease.
func (h *Hold) GiveBack() GiveBack {
	if h.Gives != "" {
		return GiveBack{h.Gives, []any{h.Name, h.Owner}}
	}
	return GiveBack{EndLease, []any{h.Name, h.Owner}}
}

// Release ends the lease. It tries until the statement is answered or ctx is done, and then in the
// background. It returns [lock.ErrNotHeld] if the lease had ended.
func (h *Hold) Release(ctx context.Context) error {
	return h.Options.Release(ctx, h.On, h.GiveBack())
}

// A Claim is an acquisition of a lease: its owner is a random text, so that a lease whose grant was not
// answered is recognized as its own.
type Claim struct {
	*Hold
	Version int64
	TTL     time.Duration
	granted bool // a try was, perhaps too late
}

// Token returns the row's version, which grows with every acquisition.
func (c *Claim) Token() int64 { return c.Version }

// Try takes the lease, if the present one has ended. If the statement is not answered and takes effect, the
// lease counts from the first try.
func (c *Claim) Try(ctx context.Context, on Runner) (held bool, err error) {
	o := c.Options
	sent := o.Clock.Now()
	err = o.Row(ctx, on, []any{&c.Version}, TakeLease, c.Name, c.Owner, c.TTL)
	switch {
	case NoRows(err):
		return false, nil
	case err != nil:
		return false, err
	}
	c.Ends, c.granted = sent.Add(c.TTL), true
	return o.Clock.Now().Before(c.Ends), nil // the next try takes it again
}

// Acquire tries until it has the lease.
func (c *Claim) Acquire(ctx context.Context, on Runner) error {
	open, err := c.Options.Persist(ctx, func(bool) (bool, error) { return c.Try(ctx, on) })
	if err != nil {
		c.Abandon(open)
		return LockError("acquire", err)
	}
	return nil
}

// Abandon ends a lease that a try may have taken, if open is set or one has.
func (c *Claim) Abandon(open bool) {
	if open || c.granted {
		c.Options.Afterwards(c.On, c.GiveBack())
	}
}
