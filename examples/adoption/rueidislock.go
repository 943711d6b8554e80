package main

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

var rueidislockLibrary = library{
	module:   "github.com/redis/rueidis",
	lock:     cell.Lock{ID: "rueidislock", Summary: "redis/rueidis/rueidislock over one server, which tracks its keys without those of its own", Flawed: true, Store: redisstore.Store, Subject: cell.Mutex(newRueidislock)},
	expected: violates("rueidislock", "After a try that has failed, WithContext waits for a message alone, without a time limit. After one that has timed out none may come: the client has not read the key, or the key was its own. Leases end by the client's clock (PXAT): a Redis whose clock is ahead says that it has set a key, and has none, and nobody asks. The first renewal is timed from the answer, so one that has no key when the answer comes learns that half a lease later. The values of keys are drawn by math/rand/v2, whose numbers are a thread's own, and rueidis ends a connection in a loop of runtime.Gosched, so runs differ but in a build with the [overlay](limits.md#the-order-of-goroutines), with which 1,152 of 1,152 were equal. Without NoLoopTracking each extension of a lease is a change of a key that the library follows itself, so it extends again at once: 36,708 times in five seconds on a real Redis 7.0.15, and 4 times with it.", "progress", "mutual-exclusion", "truthful-acquire", "timely-loss"),
	differs:  true,
}

// rueidislocker makes its locker when it is first used: that connects, which takes simulated time.
type rueidislocker struct {
	c    *cell.Client
	made chan rueidislock.Locker // holds it, nil until it is made
}

func newRueidislock(c *cell.Client) lock.Locker {
	l := rueidislocker{c, make(chan rueidislock.Locker, 1)}
	l.made <- nil
	c.Cleanup(func() {
		if made := <-l.made; made != nil {
			made.Close()
		}
	})
	return l
}

func (l rueidislocker) Acquire(ctx context.Context) (lock.Lease, error) {
	made, err := <-l.made, error(nil)
	if made == nil {
		made, err = rueidislock.NewLocker(rueidislock.LockerOption{KeyMajority: 1, NoLoopTracking: true, KeyValidity: l.c.TTL(), ClientOption: rueidis.ClientOption{
			// It asks for a cluster first unless it is forced, and runs are slow with its own sizes.
			InitAddress: l.c.Addresses()[:1], ForceSingleClient: true, ReadBufferEachConn: 4 << 10, WriteBufferEachConn: 4 << 10, RingScaleEachConn: 8,
			DialCtxFn: func(ctx context.Context, address string, d *net.Dialer, _ *tls.Config) (net.Conn, error) {
				ctx, cancel := context.WithTimeout(ctx, d.Timeout)
				defer cancel()
				return l.c.Dial(ctx, "tcp", address)
			},
		}})
	}
	if l.made <- made; err != nil {
		return nil, err
	}
	held, end := context.WithCancel(context.WithoutCancel(ctx)) // the lock is given up when this ends
	defer context.AfterFunc(ctx, end)()
	lost, release, err := made.WithContext(held, l.c.LockName())
	return rueidislocked{lost, release}, err
}

type rueidislocked struct {
	lost    context.Context
	release context.CancelFunc
}

// Release cannot know whether the key was deleted: release returns nothing.
func (l rueidislocked) Release(context.Context) error {
	l.release()
	return lock.ErrUnknown
}

func (l rueidislocked) Lost() <-chan struct{} { return l.lost.Done() }
