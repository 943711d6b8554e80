package zookeeper_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/render"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// byName is a queue of znodes whose names begin with their owner's. It takes the first by the whole
// name for the holder's, and not the one with the lowest number.
type byName struct {
	conn        *zk.Conn
	path, owner string
}

type byNameHeld struct {
	conn *zk.Conn
	node string
}

func (l *byName) Acquire(ctx context.Context) (lock.Lease, error) {
	acl := zk.WorldACL(zk.PermAll)
	if _, err := l.conn.Create(l.path, nil, 0, acl); err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return nil, err
	}
	node, err := l.conn.Create(l.path+"/"+l.owner+"-", []byte(l.owner), zk.FlagEphemeral|zk.FlagSequence, acl)
	if err != nil {
		return nil, err
	}
	for {
		all, _, err := l.conn.Children(l.path)
		if err == nil && l.path+"/"+slices.Min(all) == node {
			return byNameHeld{l.conn, node}, nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			_ = l.conn.Delete(node, -1)
			return nil, ctx.Err()
		}
	}
}

func (h byNameHeld) Release(context.Context) error { return h.conn.Delete(h.node, -1) }

// TestWhatDecided: a counterexample tells the answer by which Acquire took itself for the holder, and
// who had the lock.
func TestWhatDecided(t *testing.T) {
	r := locktest.Explore(t, func(c *locktest.Client) lock.Locker {
		conn, _ := zookeeper.Connect(c)
		return &byName{conn, "/" + c.LockName(), c.Name()}
	}, locktest.On(zookeeper.Store), locktest.Ownership(model.SequenceOwnership{Prefix: "/" + locktest.LockName + "/"}),
		locktest.Only("contention"), locktest.Runs(60), locktest.Properties(checker.MutualExclusion))
	if len(r.Findings) != 1 || r.Findings[0].Limit {
		t.Fatalf("%+v", r.Findings)
	}
	wrong, steps := render.Brief(r.Findings[0].Trace)
	golden.File(t, "testdata/decided.golden", strings.Join(slices.Concat(wrong, steps), "\n")+"\n")
}
