package redislocks

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Barrier holds those who come until there are as many as it is for, again and
// again: each time is a generation. The literature on Redisson lists a cyclic
// barrier among its locks; Redisson has none, and this is made of the same
// parts: a generation, a sorted set of those who wait, and a channel.
//
// Whoever waits shows from time to time that it is there. One who has crashed
// counts until its TTL is over, one whose context ends is taken back at once.
// Requests may be executed twice: those of the last generation are known by name.
//
// It guarantees that nobody of a generation returns before as many have come as
// it takes, as long as the Redis keeps what it has acknowledged and all lockers
// say the same number. What breaks it: one who crashes while it waits and is
// replaced within its TTL is counted twice; a failover that loses
// those who wait lets them wait until they ask again, and one that loses a
// generation makes those who have not noticed yet wait again (failover-loss,
// progress).
//
// Defaults: a TTL of 30 s; those who wait ask again every third of it.
type Barrier struct {
	client  redis.Scripter
	keys    []string
	channel string
	parties int
	ttl     time.Duration
	waits   *subscription
}

// NewBarrier returns the barrier of the given name for so many parties. The
// name is the key of the generation, which stays; "{name}:waiting" has those who
// wait, and "{name}:passed" those who waited last. It keeps a connection while
// somebody waits; Close ends that. It is safe for concurrent use.
func NewBarrier(client scriptClient, name string, parties int, options Options) *Barrier {
	o, channel := options.withDefaults(), beside(name, "open")
	waits := newSubscription(client, channel, o.Clock, o.random())
	waits.broadcast = true
	return &Barrier{
		client: client, keys: []string{name, beside(name, "waiting"), beside(name, "passed")},
		channel: channel, parties: parties, ttl: max(o.TTL, 3*time.Millisecond), waits: waits,
	}
}

// Await waits for the others, until ctx is done or the locker is closed, and
// answers the generation that was complete with us.
func (b *Barrier) Await(ctx context.Context) (int64, error) {
	who, waiting, passed := rand.Text(), "", int64(0)
	err := b.waits.await(ctx, who, b.ttl/3, false, func(ctx context.Context) (answer, error) {
		n, err := barrierAwait.Run(ctx, b.client, b.keys, who, waiting, strconv.Itoa(b.parties), millis(b.ttl), b.channel).Int64()
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
	n, failed := barrierLeave.Run(ctx, b.client, b.keys, who, waiting).Int64()
	switch {
	case failed != nil:
		return 0, fmt.Errorf("redislocks: barrier: %w, and taking us back failed: %w", err, failed)
	case n < 0:
		return 0, fmt.Errorf("redislocks: barrier: %w", err)
	}
	return n, nil // the others were let go with us
}

// Close ends the subscription and makes those who wait return
// [lock.ErrClosed].
func (b *Barrier) Close() error { return b.waits.Close() }
