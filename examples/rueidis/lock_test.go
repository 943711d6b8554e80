package rueidis_test

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/redis/rueidis"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// locker is the usual lock over rueidis: SET NX PX, and a script that deletes the key if
// the value is its own. An answer that comes after the lease is over grants nothing.
type locker struct {
	options rueidis.ClientOption
	client  chan rueidis.Client // holds the client, nil until it is connected
	turn    func()              // is called before each request
	clock   clockwork.Clock
	key     string
	ttl     time.Duration
}

func newLock(c *cell.Client) lock.Locker {
	address := c.Addresses()[0]
	l := &locker{client: make(chan rueidis.Client, 1), clock: c.Clock(), key: c.LockName(), ttl: c.TTL()}
	l.client <- nil
	// The requests of all threads go out on one connection. Of two threads that send one at the
	// same instant, Go's scheduler would decide which is first.
	l.turn = func() { c.Process().AwaitTurnFor(address, l) }
	l.options = rueidis.ClientOption{
		InitAddress: []string{address},
		DialCtxFn: func(ctx context.Context, address string, d *net.Dialer, _ *tls.Config) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, d.Timeout)
			defer cancel()
			return c.Dial(ctx, "tcp", address)
		},
		ForceSingleClient: true, // or it asks for a cluster first
		DisableCache:      true, // it caches nothing
		// By default these depend on the machine, and on a random source that
		// cannot be seeded.
		PipelineMultiplex: -1,
		RetryDelay:        func(int, rueidis.Completed, error) time.Duration { return pause },
		// Connections come and go here; half a megabyte for each of the two makes
		// runs slow.
		ReadBufferEachConn: 4 << 10, WriteBufferEachConn: 4 << 10, RingScaleEachConn: 8,
	}
	return l
}

// newClusterLock is the same over a cluster client.
func newClusterLock(c *cell.Client) lock.Locker {
	l := newLock(c).(*locker)
	l.options.InitAddress, l.options.ForceSingleClient = c.Addresses(), false
	return l
}

// connected returns the client. rueidis connects when it is made, and that takes
// simulated time: none passes in the constructor of a lock.
func (l *locker) connected(ctx context.Context) (client rueidis.Client, err error) {
	select {
	case client = <-l.client:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { l.client <- client }()
	if client == nil {
		if client, err = rueidis.NewClient(l.options); err != nil {
			if client != nil {
				client.Close()
			}
			client = nil
		}
	}
	return client, err
}

// Close is called when the run has ended.
func (l *locker) Close() error {
	if client := <-l.client; client != nil {
		client.Close()
	}
	return nil
}

func (l *locker) Acquire(ctx context.Context) (lock.Lease, error) {
	client, err := l.connected(ctx)
	if err != nil {
		return nil, errors.Join(lock.ErrNotAcquired, err)
	}
	held := &lease{client, l.turn, l.clock, l.key, rand.Text()}
	for {
		ttl, asked := lock.TTL(ctx, l.ttl), l.clock.Now()
		set := client.B().Set().Key(l.key).Value(held.value).Nx().Px(ttl).Build()
		l.turn()
		err := client.Do(ctx, set).Error()
		if err == nil && l.clock.Since(asked) < ttl {
			return held, nil
		}
		if err == nil {
			err = errLate
		}
		if !rueidis.IsRedisNil(err) {
			// It may have been taken all the same.
			l.clock.Sleep(pause)
			_ = held.Release(context.WithoutCancel(ctx))
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(lock.ErrNotAcquired, ctx.Err())
		case <-l.clock.After(100 * time.Millisecond):
		}
	}
}

// errLate is an answer that came after the lease that it grants was over.
var errLate = errors.New("the answer came too late")

type lease struct {
	client     rueidis.Client
	turn       func()
	clock      clockwork.Clock
	key, value string
}

// pause is how long the lock waits after an error. Without it, the next command races
// with the goroutines by which rueidis takes the connection down, and gets one error or
// another.
const pause = 10 * time.Millisecond

var release = rueidis.NewLuaScript(`
if redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("del", KEYS[1])
end
return 0`)

// Release repeats a request that failed or whose answer was lost: rueidis does not
// repeat writes, and nothing else removes the key before it expires.
func (h *lease) Release(ctx context.Context) (err error) {
	for try := range 3 {
		if try > 0 {
			h.clock.Sleep(pause)
		}
		var deleted int64
		h.turn()
		deleted, err = release.Exec(ctx, h.client, []string{h.key}, []string{h.value}).AsInt64()
		if err == nil && deleted == 0 {
			return lock.ErrNotHeld
		}
		if err == nil {
			return nil
		}
	}
	return err
}
