package etcd_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// byKey is a queue of keys that end with their owner's name. It takes the first by its key for the
// holder's, and not the one that was created first.
type byKey struct {
	client        *clientv3.Client
	prefix, owner string
}

type byKeyHeld struct {
	client *clientv3.Client
	lease  clientv3.LeaseID
}

func (l *byKey) Acquire(ctx context.Context) (lock.Lease, error) {
	lease, err := l.client.Grant(ctx, 10)
	if err != nil {
		return nil, err
	}
	key := l.prefix + l.owner
	if _, err := l.client.Put(ctx, key, l.owner, clientv3.WithLease(lease.ID)); err != nil {
		return nil, err
	}
	for {
		all, err := l.client.Get(ctx, l.prefix, clientv3.WithPrefix(), clientv3.WithSort(clientv3.SortByKey, clientv3.SortAscend))
		if err == nil && string(all.Kvs[0].Key) == key {
			return byKeyHeld{l.client, lease.ID}, nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (h byKeyHeld) Release(ctx context.Context) error {
	_, err := h.client.Revoke(ctx, h.lease)
	return err
}

// TestWhatDecided: a counterexample tells the answer by which Acquire took itself for the holder, and
// who had the lock.
func TestWhatDecided(t *testing.T) {
	r := locktest.Explore(t, func(c *locktest.Client) lock.Locker {
		return &byKey{etcd.Connect(c), "/" + c.LockName() + "/", c.Name()}
	}, locktest.On(etcd.Store), locktest.Ownership(model.SequenceOwnership{Prefix: "/" + locktest.LockName + "/", ByRevision: true}),
		locktest.Only("contention"), locktest.Runs(60), locktest.Properties(checker.MutualExclusion))
	if len(r.Findings) != 1 || r.Findings[0].Limit {
		t.Fatalf("%+v", r.Findings)
	}
	wrong, steps := render.Brief(r.Findings[0].Trace)
	golden.Pinned(t, "go.etcd.io/etcd/client/v3")
	golden.File(t, "testdata/decided.golden", strings.Join(slices.Concat(wrong, steps), "\n")+"\n")
}
