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
// report names the remedy. With a connection for each thread they do.
func TestSharedConnection(t *testing.T) {
	for name, threads := range map[string]int{"shared": 6, "one thread": 1} {
		t.Run(name, func(t *testing.T) {
			found := locktest.Explore(t, newShared, locktest.On(zookeeper.Store), locktest.Threads(threads),
				locktest.Only("lost-reply"), locktest.Properties(checker.MutualExclusion), locktest.Runs(1))
			r := found.Results[0]
			switch {
			case threads == 1 && len(r.Troubles) > 0:
				t.Errorf("%s: %s", r.Result, r.Troubles[0].Reason)
			case threads == 1:
			case len(r.Troubles) == 0 || r.Troubles[0].Kind != explore.Nondeterministic:
				t.Errorf("%s: %+v", r.Result, r.Troubles)
			case !strings.Contains(r.Troubles[0].Reason, "give each goroutine a zk.Conn of its own (zookeeper.Connect)"):
				t.Errorf("it does not name the remedy: %s", r.Troubles[0].Reason)
			}
		})
	}
}
