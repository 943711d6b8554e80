// Package etcdlocktest has the tests that all locks over etcd's client library pass, on a real etcd.
package etcdlocktest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/lockpick-dev/lockpick/internal/test/realetcd"
	"github.com/lockpick-dev/lockpick/lock"
)

const (
	// TTL is a lease to wait for the end of.
	TTL = time.Second
	// Soon is the limit for anything that should take no noticeable time.
	Soon = 20 * time.Second
	// Busy is how long to watch that something does not happen.
	Busy = 200 * time.Millisecond
)

// Lock is a lock that one client at a time has.
type Lock struct {
	ID   string
	Make func(c *clientv3.Client, prefix string) lock.Locker
	// Misses is set if a waiter may miss that the lock has become free, and tries again after some time.
	Misses bool
}

// impatient is a lock whose Acquire begins anew when it has waited for [Busy].
type impatient struct{ lock.Locker }

func (l impatient) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		soon, cancel := context.WithTimeout(ctx, Busy)
		lease, err := l.Locker.Acquire(soon)
		cancel()
		if err == nil || ctx.Err() != nil {
			return lease, err
		}
	}
}

// Stand is a real server, with a prefix of its own.
type Stand struct {
	*testing.T
	Addr, Prefix string
}

// Client is one of the server.
func (s Stand) Client(opts ...grpc.DialOption) *clientv3.Client {
	s.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{s.Addr}, Logger: zap.NewNop(), DialOptions: opts})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = c.Close() })
	return c
}

// Acquire waits no longer than soon.
func (s Stand) Acquire(l lock.Locker) lock.Lease {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), Soon)
	defer cancel()
	lease, err := l.Acquire(ctx)
	if err != nil {
		s.Fatalf("Acquire says %v", err)
	}
	return lease
}

// Keys waits until there are so many below the prefix.
func (s Stand) Keys(want int64) {
	s.Helper()
	c := s.Client()
	var got int64
	for end := time.Now().Add(Soon); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		answer, err := c.Get(s.Context(), s.Prefix+"/", clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err != nil {
			s.Fatal(err)
		}
		if got = answer.Count; got == want {
			return
		}
	}
	s.Fatalf("there are %d keys, want %d", got, want)
}

// Functional puts the locks through the same tests on a real server, and runs the other tests.
func Functional(t *testing.T, locks []Lock, others map[string]func(Stand)) {
	realetcd.Need(t)
	server := realetcd.Start(t, 100*time.Millisecond)
	for i, l := range locks {
		for name, test := range map[string]func(s Stand, l func() lock.Locker){
			"exclusion": testExclusion, "cancellation": testCancellation, "second release": testSecondRelease,
		} {
			t.Run(l.ID+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := Stand{t, server.Addr, fmt.Sprintf("/locks/%d/%s", i, name)}
				test(s, func() lock.Locker {
					made := l.Make(s.Client(), s.Prefix)
					if l.Misses {
						made = impatient{made}
					}
					return made
				})
			})
		}
	}
	for name, test := range others {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(Stand{t, server.Addr, "/locks/" + name})
		})
	}
}

// testExclusion: of several processes one at a time is inside, and tokens grow.
func testExclusion(s Stand, make func() lock.Locker) {
	const processes, rounds = 4, 5
	var inside, entered atomic.Int32
	var last atomic.Int64
	var all sync.WaitGroup
	for range processes {
		l := make()
		all.Go(func() {
			for range rounds {
				lease, err := l.Acquire(s.Context())
				if err != nil {
					s.Errorf("Acquire says %v", err)
					return
				}
				if inside.Add(1) != 1 {
					s.Error("two are inside")
				}
				if f, fenced := lease.(lock.Fenced); fenced && last.Swap(f.Token()) >= f.Token() {
					s.Errorf("the token %d is not greater than the one before", f.Token())
				}
				entered.Add(1)
				inside.Add(-1)
				if err := lease.Release(s.Context()); err != nil {
					s.Errorf("Release says %v", err)
				}
			}
		})
	}
	all.Wait()
	if n := entered.Load(); n != processes*rounds {
		s.Errorf("they were inside %d times", n)
	}
	s.Keys(0)
}

// testCancellation: a waiter that gives up leaves nothing behind.
func testCancellation(s Stand, make func() lock.Locker) {
	held := s.Acquire(make())
	ctx, cancel := context.WithTimeout(s.Context(), Busy)
	defer cancel()
	if _, err := make().Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		s.Fatalf("Acquire says %v", err)
	}
	if err := held.Release(s.Context()); err != nil {
		s.Fatal(err)
	}
	next := s.Acquire(make())
	if err := next.Release(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// testSecondRelease: it gives up no other's lock.
func testSecondRelease(s Stand, make func() lock.Locker) {
	first := s.Acquire(make())
	if err := first.Release(s.Context()); err != nil {
		s.Fatal(err)
	}
	second := s.Acquire(make())
	if err := first.Release(s.Context()); err != nil && !errors.Is(err, lock.ErrNotHeld) {
		s.Errorf("the second Release says %v", err)
	}
	s.Keys(1)
	if err := second.Release(s.Context()); err != nil {
		s.Fatal(err)
	}
}
