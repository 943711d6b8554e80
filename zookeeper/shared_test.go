package zookeeper_test

import (
	"context"
	"errors"
	"strconv"
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
	"github.com/lockpick-dev/lockpick/sim/testdata/globals"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// shared is a lock whose threads make their requests on one connection. A request that fails
// with its connection is made again at once. What it writes differs from run to run.
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
		_, err := s.conn.Create(s.path, strconv.AppendUint(nil, globals.Unseedable(), 10), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
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

// TestSharedConnection: where runs differ of a lock whose threads share a connection, the report names the remedy. It does not if each
// has one of its own: here what differs is what the lock writes.
func TestSharedConnection(t *testing.T) {
	slowtest.SkipIfShort(t)
	for threads, names := range map[int]bool{6: true, 1: false} {
		t.Run(strconv.Itoa(threads), func(t *testing.T) {
			results := locktest.Explore(t, newShared, locktest.On(zookeeper.Store), locktest.Threads(threads),
				locktest.Only("lost-reply"), locktest.Properties(checker.MutualExclusion), locktest.Runs(1)).Results
			if len(results) != 1 || len(results[0].Troubles) != 1 || results[0].Troubles[0].Kind != explore.Nondeterministic {
				t.Fatalf("%+v", results)
			}
			reason := results[0].Troubles[0].Reason
			if strings.Contains(reason, "give each goroutine a zk.Conn of its own (zookeeper.Connect)") != names {
				t.Errorf("the remedy is named: %t: %s", !names, reason)
			}
		})
	}
}
