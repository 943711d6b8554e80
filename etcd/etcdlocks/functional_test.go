package etcdlocks_test

import (
	"errors"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockpick-dev/lockpick/etcd/etcdlocks"
	"github.com/lockpick-dev/lockpick/etcd/internal/test/etcdlocktest"
	"github.com/lockpick-dev/lockpick/lock"
)

// TestFunctional: the lock on a real server.
func TestFunctional(t *testing.T) {
	etcdlocktest.Functional(t, []etcdlocktest.Lock{{ID: "etcd", Make: func(c *clientv3.Client, prefix string) lock.Locker {
		return etcdlocks.NewEtcd(c, prefix, etcdlocks.Options{TTL: etcdlocktest.TTL})
	}}}, map[string]func(etcdlocktest.Stand){"loss": testLoss})
}

// testLoss: a holder whose lease is revoked hears of it at the next renewal, and its Release
// says that it was not held. Until then, and for as long as it renews, the claim moves on.
func testLoss(s etcdlocktest.Stand) {
	c := s.Client()
	lease := s.Acquire(etcdlocks.NewEtcd(c, s.Prefix, etcdlocks.Options{TTL: etcdlocktest.TTL}))
	until := lease.(lock.Expirer).Until()
	time.Sleep(etcdlocktest.TTL / 2)
	if !lease.(lock.Expirer).Until().After(until) {
		s.Error("the claim was not renewed")
	}
	leases, err := c.Get(s.Context(), s.Prefix+"/", clientv3.WithPrefix())
	if err != nil || len(leases.Kvs) != 1 {
		s.Fatalf("%v, %v", leases, err)
	}
	if _, err := c.Revoke(s.Context(), clientv3.LeaseID(leases.Kvs[0].Lease)); err != nil {
		s.Fatal(err)
	}
	select {
	case <-lease.(lock.Notifier).Lost():
	case <-time.After(etcdlocktest.Soon):
		s.Error("nobody tells the holder")
	}
	if err := lease.Release(s.Context()); !errors.Is(err, lock.ErrNotHeld) {
		s.Errorf("Release says %v", err)
	}
}
