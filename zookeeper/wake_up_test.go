package zookeeper_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// watching is a lock of one ephemeral znode, whose waiters sleep until a watch tells them that it is
// gone. The request that sets the watch answers whether the znode is still there; blind does not look,
// so it misses a release between its create and its watch, which then waits for the next holder's end.
type watching struct {
	client *cell.Client
	conn   *zk.Conn
	path   string
	blind  bool
}

func newWatching(blind bool) func(*cell.Client) lock.Locker {
	return func(c *cell.Client) lock.Locker {
		conn, _ := zookeeper.Connect(c)
		return &watching{c, conn, "/" + c.LockName(), blind}
	}
}

func (l *watching) Acquire(ctx context.Context) (lock.Lease, error) {
	for ctx.Err() == nil {
		_, err := l.conn.Create(l.path, nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
		if err == nil {
			return watchingLease{l}, nil
		}
		if !errors.Is(err, zk.ErrNodeExists) { // a node of its own that was not answered is its session's, and is deleted
			_ = l.delete(ctx)
			continue
		}
		there, stat, changed, err := l.conn.ExistsW(l.path)
		switch {
		case err != nil:
			l.client.Clock().Sleep(50 * time.Millisecond)
			continue
		case stat != nil && there && stat.EphemeralOwner == l.conn.SessionID():
			return watchingLease{l}, nil
		case !there && !l.blind:
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return nil, ctx.Err()
}

func (l *watching) delete(ctx context.Context) error { return deleteOwn(ctx, l.client, l.conn, l.path) }

type watchingLease struct{ *watching }

func (l watchingLease) Release(ctx context.Context) error { return l.delete(ctx) }

// TestMissedWakeUp: a release between the look and the watch is found with every seed; the same lock
// that looks at the answer is silent.
func TestMissedWakeUp(t *testing.T) {
	slowtest.SkipIfShort(t)
	for seed := range uint64(3) {
		for _, blind := range []bool{true, false} {
			for _, r := range locktest.Explore(t, newWatching(blind), locktest.On(zookeeper.Store), locktest.Seed(seed+1), locktest.Only("lost-wakeup"),
				locktest.Properties(checker.Progress), locktest.Runs(500)).Results {
				if found := len(r.Findings) > 0; found != blind {
					t.Errorf("seed %d, blind %v: %s, %d findings", seed+1, blind, r.Result, len(r.Findings))
				}
			}
		}
	}
}
