package etcdlocks_test

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

	"github.com/lockpick-dev/lockpick/etcd/etcdlocks"
	"github.com/lockpick-dev/lockpick/internal/realetcd"
	"github.com/lockpick-dev/lockpick/lock"
)

const (
	// ttl is a lease to wait for the end of, soon how long anything may take that takes no
	// time, and busy how long nothing may come of a thing that should not.
	ttl, soon, busy = time.Second, 20 * time.Second, 200 * time.Millisecond
)

// kinds are the locks that one client at a time has.
var kinds = []struct {
	id   string
	make func(c *clientv3.Client, prefix string) lock.Locker
}{
	{"etcd", func(c *clientv3.Client, prefix string) lock.Locker {
		return etcdlocks.NewEtcd(c, prefix, etcdlocks.Options{TTL: ttl})
	}},
	{"mutex", func(c *clientv3.Client, prefix string) lock.Locker {
		return etcdlocks.NewMutex(etcdlocks.NewSessions(c, ttl), prefix)
	}},
	{"election", func(c *clientv3.Client, prefix string) lock.Locker {
		return etcdlocks.NewElection(etcdlocks.NewSessions(c, ttl), prefix)
	}},
	{"writer", func(c *clientv3.Client, prefix string) lock.Locker {
		return etcdlocks.NewReadWrite(etcdlocks.NewSessions(c, ttl), prefix).Writer()
	}},
}

// stand is a real server, with a prefix of its own.
type stand struct {
	*testing.T
	addr, prefix string
}

func (s stand) client(opts ...grpc.DialOption) *clientv3.Client {
	s.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{s.addr}, Logger: zap.NewNop(), DialOptions: opts})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = c.Close() })
	return c
}

// acquire waits no longer than soon.
func (s stand) acquire(l lock.Locker) lock.Lease {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), soon)
	defer cancel()
	lease, err := l.Acquire(ctx)
	if err != nil {
		s.Fatalf("Acquire says %v", err)
	}
	return lease
}

// keys waits until there are so many below the prefix.
func (s stand) keys(want int64) {
	s.Helper()
	c := s.client()
	var got int64
	for end := time.Now().Add(soon); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		answer, err := c.Get(s.Context(), s.prefix+"/", clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err != nil {
			s.Fatal(err)
		}
		if got = answer.Count; got == want {
			return
		}
	}
	s.Fatalf("there are %d keys, want %d", got, want)
}

// TestFunctional: the locks on a real server.
func TestFunctional(t *testing.T) {
	realetcd.Need(t)
	server := realetcd.Start(t, 100*time.Millisecond)
	for i, k := range kinds {
		for name, test := range map[string]func(s stand, l func() lock.Locker){
			"exclusion": testExclusion, "cancellation": testCancellation, "second release": testSecondRelease,
		} {
			t.Run(k.id+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := stand{t, server.Addr, fmt.Sprintf("/locks/%d/%s", i, name)}
				test(s, func() lock.Locker { return k.make(s.client(), s.prefix) })
			})
		}
	}
	t.Run("etcd/loss", func(t *testing.T) {
		t.Parallel()
		testLoss(stand{t, server.Addr, "/locks/loss"})
	})
	t.Run("readers", func(t *testing.T) {
		t.Parallel()
		testReaders(stand{t, server.Addr, "/locks/readers"})
	})
}

// testExclusion: of several processes one at a time is inside, and tokens grow.
func testExclusion(s stand, make func() lock.Locker) {
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
	s.keys(0)
}

// testCancellation: a waiter that gives up leaves nothing behind.
func testCancellation(s stand, make func() lock.Locker) {
	held := s.acquire(make())
	ctx, cancel := context.WithTimeout(s.Context(), busy)
	defer cancel()
	if _, err := make().Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		s.Fatalf("Acquire says %v", err)
	}
	if err := held.Release(s.Context()); err != nil {
		s.Fatal(err)
	}
	next := s.acquire(make())
	if err := next.Release(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// testSecondRelease: it gives up no other's lock.
func testSecondRelease(s stand, make func() lock.Locker) {
	first := s.acquire(make())
	if err := first.Release(s.Context()); err != nil {
		s.Fatal(err)
	}
	second := s.acquire(make())
	if err := first.Release(s.Context()); err != nil && !errors.Is(err, lock.ErrNotHeld) {
		s.Errorf("the second Release says %v", err)
	}
	s.keys(1)
	if err := second.Release(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// testLoss: a holder whose lease is revoked hears of it at the next renewal, and its Release
// says that it was not held. Until then, and for as long as it renews, the claim moves on.
func testLoss(s stand) {
	c := s.client()
	lease := s.acquire(etcdlocks.NewEtcd(c, s.prefix, etcdlocks.Options{TTL: ttl}))
	until := lease.(lock.Expirer).Until()
	time.Sleep(ttl / 2)
	if !lease.(lock.Expirer).Until().After(until) {
		s.Error("the claim was not renewed")
	}
	leases, err := c.Get(s.Context(), s.prefix+"/", clientv3.WithPrefix())
	if err != nil || len(leases.Kvs) != 1 {
		s.Fatalf("%v, %v", leases, err)
	}
	if _, err := c.Revoke(s.Context(), clientv3.LeaseID(leases.Kvs[0].Lease)); err != nil {
		s.Fatal(err)
	}
	select {
	case <-lease.(lock.Notifier).Lost():
	case <-time.After(soon):
		s.Error("nobody tells the holder")
	}
	if err := lease.Release(s.Context()); !errors.Is(err, lock.ErrNotHeld) {
		s.Errorf("Release says %v", err)
	}
}

// testReaders: readers share the lock, and a writer waits for them.
func testReaders(s stand) {
	lockOf := func() *etcdlocks.ReadWrite {
		return etcdlocks.NewReadWrite(etcdlocks.NewSessions(s.client(), ttl), s.prefix)
	}
	one, other := s.acquire(lockOf().Reader()), s.acquire(lockOf().Reader())
	wrote := make(chan lock.Lease, 1)
	writer := lockOf().Writer()
	go func() {
		lease, err := writer.Acquire(s.Context())
		if err != nil {
			s.Errorf("Acquire says %v", err)
		}
		wrote <- lease
	}()
	s.keys(3)
	for _, r := range []lock.Lease{one, other} {
		select {
		case <-wrote:
			s.Fatal("the writer did not wait")
		case <-time.After(busy):
		}
		if err := r.Release(s.Context()); err != nil {
			s.Fatal(err)
		}
	}
	if err := (<-wrote).Release(s.Context()); err != nil {
		s.Fatal(err)
	}
}
