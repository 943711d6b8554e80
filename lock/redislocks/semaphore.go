package redislocks

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// Semaphore is a number of permits without leases, like Redisson's
// RedissonSemaphore, and waits as [Reentrant] does. The number of permits is a
// setting of each locker; the store does not have it.
//
// Redisson keeps one counter. Here a hash has the permits of each acquisition: a
// request that is executed twice because its answer was lost counts once, and a
// second release is recognized.
//
// It guarantees that no more permits are taken than there are, as long as Redis
// keeps acknowledged writes and all lockers have the same number. What breaks it:
// permits do not run out, so those of a crashed holder are gone for ever
// (holder-crash, progress); [PermitSemaphore] avoids that. A failover or a restart
// that loses an acquisition admits one acquisition too many (failover-loss,
// node-restart), and one that loses a release admits one too few.
//
// Commands: acquire 1 a try, release 1. Without contention the server executes 7
// for both, including those of their scripts.
//
// Defaults: waiters ask again after 30 s without a message (TTL).
type Semaphore struct{ *permits }

// NewSemaphore returns a semaphore of the given name, which is the key, with the
// given number of permits. It keeps a connection while a caller waits; Close ends
// that. It is safe for concurrent use.
func NewSemaphore(client scriptClient, name string, total int, options Options) *Semaphore {
	o, channel := options.withDefaults(), scripts.Beside(name, "released")
	p := newPermits(&counted{client: client, name: name, channel: channel, total: total}, client, channel, total, o)
	p.newID = func(int) string { return "by:" + rand.Text() }
	return &Semaphore{p}
}

// Acquire waits for one permit.
func (s *Semaphore) Acquire(ctx context.Context) (lock.Lease, error) { return s.AcquireN(ctx, 1) }

// AcquireN waits for n permits. After an error other than [lock.ErrNotAcquired] and
// [lock.ErrClosed] it has tried to give back permits that it may have taken; a late
// request may still take them.
func (s *Semaphore) AcquireN(ctx context.Context, n int) (lock.Lease, error) {
	l, err := s.acquire(ctx, n, false)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// TryAcquire takes one permit if there is one.
func (s *Semaphore) TryAcquire(ctx context.Context) (lock.Lease, error) {
	l, err := s.acquire(ctx, 1, true)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// counted is a permitStore: a hash with the number of permits of each acquisition.
type counted struct {
	client  redis.Scripter
	name    string
	channel string
	total   int
}

func (s *counted) take(ctx context.Context, id string, n int, _ time.Duration) (answer, error) {
	return taken(scripts.SemaphoreAcquire.Run(ctx, s.client, []string{s.name}, id, n, s.total))
}

func (s *counted) give(ctx context.Context, id string, _ int) (bool, error) {
	n, err := scripts.SemaphoreRelease.Run(ctx, s.client, []string{s.name}, id, s.channel).Int()
	return n == 1, err
}

func (s *counted) used(ctx context.Context) (int, error) {
	return scripts.SemaphoreUsed.Run(ctx, s.client, []string{s.name}).Int()
}
