package zookeeper_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/zookeeper"
)

// shared is a lock whose threads make their requests on one connection. A request that fails
// with its connection is made again at once.
type shared struct {
	conn *zk.Conn
	path string
}

func newShared(c *cell.Client) lock.Locker {
	conn, _ := zookeeper.Connect(c)
	return &shared{conn, "/" + c.LockName()}
}

func (s *shared) Acquire(ctx context.Context) (lock.Lease, error) {
	for ctx.Err() == nil {
		_, err := s.conn.Create(s.path, nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
		if err == nil {
			return sharedLease{s}, nil
		}
		if !errors.Is(err, zk.ErrConnectionClosed) {
			time.Sleep(50 * time.Millisecond)
		}
	}
	return nil, ctx.Err()
}

type sharedLease struct{ *shared }

func (l sharedLease) Release(context.Context) error { return l.conn.Delete(l.path, -1) }

// TestSharedConnection: runs of a lock whose threads share a connection do not repeat, and the
// report names the remedy. With a connection for each thread they do. Whether two runs differ
// is up to Go's scheduler, so more than one sample may be needed to see it.
func TestSharedConnection(t *testing.T) {
	slowtest.SkipIfShort(t)
	const samples = 30
	troubles := func(t *testing.T, threads int, seed uint64) []explore.Trouble {
		var all []explore.Trouble
		for _, r := range locktest.Explore(t, newShared, locktest.On(zookeeper.Store), locktest.Threads(threads), locktest.Seed(seed),
			locktest.Only("lost-reply"), locktest.Properties(checker.MutualExclusion), locktest.Runs(1)).Results {
			all = append(all, r.Troubles...)
		}
		return all
	}
	t.Run("shared", func(t *testing.T) {
		for seed := range uint64(samples) {
			found := troubles(t, 6, seed+1)
			if len(found) == 0 {
				continue
			}
			if kind, reason := found[0].Kind, found[0].Reason; kind != explore.Nondeterministic ||
				!strings.Contains(reason, "give each goroutine a zk.Conn of its own (zookeeper.Connect)") {
				t.Errorf("it does not name the remedy: %s: %s", kind, reason)
			}
			return
		}
		t.Errorf("none of %d samples differed", samples)
	})
	t.Run("one thread", func(t *testing.T) {
		if found := troubles(t, 1, 1); len(found) > 0 {
			t.Errorf("%s: %s", found[0].Kind, found[0].Reason)
		}
	})
}
