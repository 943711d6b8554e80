package redislocks

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// PermitSemaphore is a number of permits, each with a lease and an ID, like
// Redisson's RedissonPermitExpirableSemaphore: a sorted set with the end of each
// permit's lease. It waits as [Reentrant] does. The number of permits is a setting
// of each locker; the store does not have it.
//
// The ends are by the server's clock; Redisson's are by the clients' clocks, which
// may differ.
//
// It guarantees that no more permits are taken than there are, as long as holders
// respect Until, Redis keeps acknowledged writes, its clock does not jump, and all
// lockers have the same number. What breaks it is what breaks Reentrant, in the
// same scenarios. A holder that crashes costs its permits for the rest of their
// lease.
//
// Commands: acquire 1 a try, release 1. Without contention the server executes 10
// for both, including those of their scripts.
//
// Defaults: a lease of 30 s.
type PermitSemaphore struct{ *permits }

// NewPermitSemaphore returns a semaphore of the given name, which is the key, with
// the given number of permits. It keeps a connection while a caller waits; Close
// ends that. It is safe for concurrent use.
func NewPermitSemaphore(client scriptClient, name string, total int, options Options) *PermitSemaphore {
	o, channel := options.withDefaults(), scripts.Beside(name, "released")
	p := newPermits(&leased{client: client, name: name, channel: channel, total: total}, client, channel, total, o)
	// The name includes how many, so that its holder can give them back.
	p.newID = func(n int) string { return strconv.Itoa(n) + "-" + rand.Text() }
	return &PermitSemaphore{p}
}

// Acquire waits for one permit.
func (s *PermitSemaphore) Acquire(ctx context.Context) (lock.Lease, error) {
	return s.AcquireN(ctx, 1)
}

// AcquireN waits for n permits. After an error other than [lock.ErrNotAcquired] and
// [lock.ErrClosed] it has tried to give back permits that it may have taken; a late
// request may still take them.
func (s *PermitSemaphore) AcquireN(ctx context.Context, n int) (lock.Lease, error) {
	l, err := s.acquire(ctx, n, false)
	if err != nil {
		return nil, err
	}
	return expiringPermits{l}, nil
}

// TryAcquire takes one permit if there is one.
func (s *PermitSemaphore) TryAcquire(ctx context.Context) (lock.Lease, error) {
	l, err := s.acquire(ctx, 1, true)
	if err != nil {
		return nil, err
	}
	return expiringPermits{l}, nil
}

// ReleaseID gives back the permits of the lease with this ID, which may belong to
// another process.
func (s *PermitSemaphore) ReleaseID(ctx context.Context, id string) error {
	count, _, ok := strings.Cut(id, "-")
	n, err := strconv.Atoi(count)
	if !ok || err != nil {
		return fmt.Errorf("redislocks: release: %q is not the ID of a lease of this semaphore: %w", id, lock.ErrNotHeld)
	}
	return (&permitLease{of: s.permits, id: id, n: n}).Release(ctx)
}

// leased is a sorted set of the ends of leases.
type leased struct {
	client  redis.Scripter
	name    string
	channel string
	total   int
}

func (s *leased) take(ctx context.Context, id string, n int, ttl time.Duration) (answer, error) {
	return taken(scripts.PermitsAcquire.Run(ctx, s.client, []string{s.name}, scripts.Millis(ttl), id, n, s.total))
}

func (s *leased) give(ctx context.Context, id string, n int) (bool, error) {
	gone, err := scripts.PermitsRelease.Run(ctx, s.client, []string{s.name}, id, n, s.channel).Int()
	return gone == 1, err
}

func (s *leased) renew(ctx context.Context, id string, n int, ttl time.Duration) (bool, error) {
	there, err := scripts.PermitsRenew.Run(ctx, s.client, []string{s.name}, scripts.Millis(ttl), id, n).Int()
	return there == 1, err
}

func (s *leased) used(ctx context.Context) (int, error) {
	return scripts.PermitsUsed.Run(ctx, s.client, []string{s.name}).Int()
}
