package redislocks

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// Barrier blocks its callers until all parties have arrived, again and again: each
// time is a generation. The literature on Redisson lists a cyclic barrier among its
// locks; Redisson has none. This one is made of the same parts: a generation, a
// sorted set of waiters, and a channel.
//
// A waiter asks again from time to time. A crashed waiter counts until its TTL is
// over; one whose context ends is withdrawn at once. A request may be executed
// twice: Redis keeps the names of parties for two TTLs after they were let go, and
// answers a repeated request as it did the first.
//
// It guarantees that no caller returns before all parties of its generation have
// arrived, as long as Redis keeps acknowledged writes and all lockers have the same
// number of parties. What breaks it: a waiter that crashes and is replaced within
// its TTL is counted twice; a failover that loses waiters keeps them waiting until
// they ask again, and one that loses a generation makes those wait again that have
// not noticed it (failover-loss, progress); a request that arrives after its repetition,
// and later than two TTLs after that, counts as one more party (watchdog-late, linearizable).
//
// Defaults: a TTL of 30 s; waiters ask again every third of it.
type Barrier struct {
	client  redis.Scripter
	keys    []string
	channel string
	parties int
	ttl     time.Duration
	waits   *subscription
}

// NewBarrier returns the barrier of the given name for the given number of parties.
// The name is the key of the generation, which stays; "{name}:waiting" has the
// waiters, "{name}:passed" the generations of those who were let go lately, and
// "{name}:kept" until when it has them. It keeps a connection
// while a caller waits; Close ends that. It is safe for concurrent use.
func NewBarrier(client scriptClient, name string, parties int, options Options) *Barrier {
	o, channel := options.withDefaults(), scripts.Beside(name, "open")
	waits := newSubscription(client, channel, o.Clock, o.random())
	waits.broadcast = true
	return &Barrier{
		client: client, keys: []string{name, scripts.Beside(name, "waiting"), scripts.Beside(name, "passed"), scripts.Beside(name, "kept")},
		channel: channel, parties: parties, ttl: max(o.TTL, 3*time.Millisecond), waits: waits,
	}
}

// Await waits for the other parties, until ctx is done or the locker is closed, and
// returns the caller's generation.
func (b *Barrier) Await(ctx context.Context) (int64, error) {
	who, waiting, passed := rand.Text(), "", int64(0)
	err := b.waits.await(ctx, who, b.ttl/3, false, func(ctx context.Context) (answer, error) {
		n, err := scripts.BarrierAwait.Run(ctx, b.client, b.keys, who, waiting, strconv.Itoa(b.parties), scripts.Millis(b.ttl), b.channel).Int64()
		if err != nil || n >= 0 {
			passed = n
			return answer{held: true}, err
		}
		waiting = strconv.FormatInt(-1-n, 10)
		return answer{left: -1}, nil
	})
	if err == nil {
		return passed, nil
	}
	ctx, cancel := cleanup(ctx)
	defer cancel()
	n, failed := scripts.BarrierLeave.Run(ctx, b.client, b.keys, who, waiting).Int64()
	switch {
	case failed != nil:
		return 0, fmt.Errorf("redislocks: barrier: %w, and withdrawing this party failed: %w", err, failed)
	case n < 0:
		return 0, fmt.Errorf("redislocks: barrier: %w", err)
	}
	return n, nil // the others were let go with us
}

// Close ends the subscription and makes waiters return [lock.ErrClosed].
func (b *Barrier) Close() error { return b.waits.Close() }
