package kube_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/kube/kubelocks"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
)

// A test of a lock over Leases: in each scenario, against simulated API servers.
func Example() {
	_ = func(t *testing.T) {
		locktest.Check(t, func(c *locktest.Client) lock.Locker {
			return kubelocks.NewLease(kube.Connect(c), kube.URL, "default", c.LockName(), kubelocks.Options{TTL: c.TTL(), Clock: c.Clock()})
		}, locktest.On(kube.Store), locktest.Ownership(kube.Holder("default")))
	}
}

// TestCheck: a lock is tested through locktest, also with several API servers, threads and rejected requests.
func TestCheck(t *testing.T) {
	newLock := func(c *cell.Client) lock.Locker {
		return kubelocks.NewLease(kube.Connect(c), kube.URL, "default", c.LockName(), kubelocks.Options{TTL: c.TTL(), Clock: c.Clock()})
	}
	for _, params := range [][2]string{{"followers", "2"}, {"cache-lag", "3000"}, {"rejections", "3"}, {"server-errors", "3"}, {"threads", "2"}} {
		t.Run(params[0], func(t *testing.T) {
			locktest.Check(t, newLock, locktest.On(kube.Store), locktest.Ownership(kube.Holder("default")), locktest.Only("contention"), locktest.Runs(20), locktest.Param(params[0], params[1]))
		})
	}
}
