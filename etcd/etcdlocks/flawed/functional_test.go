package flawed_test

import (
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockpick-dev/lockpick/etcd/etcdlocks"
	"github.com/lockpick-dev/lockpick/etcd/etcdlocks/flawed"
	"github.com/lockpick-dev/lockpick/etcd/internal/test/etcdlocktest"
	"github.com/lockpick-dev/lockpick/lock"
)

// TestFunctional: the locks on a real server.
func TestFunctional(t *testing.T) {
	etcdlocktest.Functional(t, []etcdlocktest.Lock{
		{ID: "mutex", Make: func(c *clientv3.Client, prefix string) lock.Locker {
			return flawed.NewMutex(flawed.NewSessions(c, etcdlocktest.TTL), prefix)
		}},
		{ID: "election", Make: func(c *clientv3.Client, prefix string) lock.Locker {
			return flawed.NewElection(flawed.NewSessions(c, etcdlocktest.TTL), prefix)
		}},
		{ID: "watch-now", Make: func(c *clientv3.Client, prefix string) lock.Locker {
			return flawed.NewWatchNow(c, prefix+"/key", etcdlocks.Options{TTL: etcdlocktest.TTL})
		}, Misses: true},
		{ID: "writer", Make: func(c *clientv3.Client, prefix string) lock.Locker {
			return flawed.NewReadWrite(flawed.NewSessions(c, etcdlocktest.TTL), prefix).Writer()
		}},
	}, map[string]func(etcdlocktest.Stand){"readers": testReaders})
}

// testReaders: readers share the lock, and a writer waits for them.
func testReaders(s etcdlocktest.Stand) {
	lockOf := func() *flawed.ReadWrite {
		return flawed.NewReadWrite(flawed.NewSessions(s.Client(), etcdlocktest.TTL), s.Prefix)
	}
	one, other := s.Acquire(lockOf().Reader()), s.Acquire(lockOf().Reader())
	wrote := make(chan lock.Lease, 1)
	writer := lockOf().Writer()
	go func() {
		lease, err := writer.Acquire(s.Context())
		if err != nil {
			s.Errorf("Acquire says %v", err)
		}
		wrote <- lease
	}()
	s.Keys(3)
	for _, r := range []lock.Lease{one, other} {
		select {
		case <-wrote:
			s.Fatal("the writer did not wait")
		case <-time.After(etcdlocktest.Busy):
		}
		if err := r.Release(s.Context()); err != nil {
			s.Fatal(err)
		}
	}
	if err := (<-wrote).Release(s.Context()); err != nil {
		s.Fatal(err)
	}
}
