package etcd_test

import (
	"context"
	"fmt"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// mutex is a lock over etcd: the client library's, with a session for each hold.
type mutex struct {
	client *clientv3.Client
	prefix string
}

func newMutex(c *locktest.Client) lock.Locker { return mutex{etcd.Connect(c), "/" + c.LockName()} }

func (m mutex) Acquire(ctx context.Context) (lock.Lease, error) {
	session, err := concurrency.NewSession(m.client, concurrency.WithTTL(10))
	if err != nil {
		return nil, err
	}
	of := concurrency.NewMutex(session, m.prefix)
	if err := of.Lock(ctx); err != nil {
		_ = session.Close()
		return nil, err
	}
	return held{of, session}, nil
}

type held struct {
	of      *concurrency.Mutex
	session *concurrency.Session
}

func (h held) Release(ctx context.Context) error {
	err := h.of.Unlock(ctx)
	_ = h.session.Close()
	return err
}

// A test names the store of its lock. This lock's records are a queue of keys, and the one
// that was created first has the lock.
func Example() {
	test := func(t *testing.T) { // func TestMyLock(t *testing.T)
		queue := model.SequenceOwnership{Prefix: "/" + locktest.LockName + "/", ByRevision: true}
		locktest.Check(t, newMutex, locktest.On(etcd.Store), locktest.Ownership(queue))
	}
	_ = test
}

// Clients connect to all members. This is one run, in which nothing fails.
func ExampleConnect() {
	locks := []cell.Lock{{ID: "mylock", Store: etcd.Store, Subject: locktest.Mutex(newMutex)}}
	c, err := scenarios.Registry(locks).Cell("contention", "mylock", nil)
	if err != nil {
		panic(err)
	}
	run := c.Run(explore.Run{Tape: sim.Calm{}, Record: true})
	held := 0
	for _, op := range run.Recording.History.Operations {
		if op.Kind == model.Acquire && op.Result == model.OK {
			held++
		}
	}
	fmt.Println("acquired:", held, "violations:", len(run.Violated()))
	// Output: acquired: 6 violations: 0
}
