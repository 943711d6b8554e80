package zookeeper_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// expiring is a lock of one ephemeral znode. It learns of its loss when a server says that the
// session has expired, and by nothing else: a holder that is cut off goes on meanwhile.
type expiring struct {
	client *cell.Client
	conn   *zk.Conn
	path   string

	mu   sync.Mutex
	lost chan struct{} // of the present session
}

func newExpiring(c *cell.Client) lock.Locker {
	conn, events := zookeeper.Connect(c)
	l := &expiring{client: c, conn: conn, path: "/" + c.LockName(), lost: make(chan struct{})}
	go func() {
		for e := range events {
			if e.State == zk.StateExpired {
				l.mu.Lock()
				close(l.lost)
				l.lost = make(chan struct{})
				l.mu.Unlock()
			}
		}
	}()
	return l
}

func (l *expiring) Acquire(ctx context.Context) (lock.Lease, error) {
	for ctx.Err() == nil {
		l.mu.Lock()
		lost := l.lost
		l.mu.Unlock()
		_, err := l.conn.Create(l.path, nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
		if errors.Is(err, zk.ErrNodeExists) { // perhaps by a request that was not answered
			var there bool
			var stat *zk.Stat
			if there, stat, err = l.conn.Exists(l.path); err == nil && !(there && stat.EphemeralOwner == l.conn.SessionID()) {
				err = lock.ErrNotAcquired
			}
		}
		if err == nil {
			return &expiringLease{l, lost}, nil
		}
		l.client.Clock().Sleep(50 * time.Millisecond)
	}
	return nil, ctx.Err()
}

type expiringLease struct {
	*expiring
	lost chan struct{}
}

func (l *expiringLease) Lost() <-chan struct{} { return l.lost }

func (l *expiringLease) Release(ctx context.Context) error {
	return deleteOwn(ctx, l.client, l.conn, l.path)
}

// deleteOwn deletes a znode if it is the session's, however often that takes.
func deleteOwn(ctx context.Context, c *cell.Client, conn *zk.Conn, path string) error {
	for ctx.Err() == nil {
		there, stat, err := conn.Exists(path)
		switch {
		case err == nil && !(there && stat.EphemeralOwner == conn.SessionID()):
			return lock.ErrNotHeld
		case err == nil:
			err = conn.Delete(path, stat.Version)
		}
		if err == nil {
			return nil
		}
		c.Clock().Sleep(50 * time.Millisecond)
	}
	return ctx.Err()
}

// TestHeldForASession: a lock whose record lives with a session is held for longer than the
// session in some runs, without Renews. So it is found that its holder is told too late. In runs
// of the usual size no holder is cut off for that long. It takes some 300 schedules, fewer with this seed.
func TestHeldForASession(t *testing.T) {
	slowtest.SkipIfShort(t)
	usual, err := scenarios.Find("session-expiry")
	if err != nil {
		t.Fatal(err)
	}
	short := *usual
	short.ID, short.Params.Sizes = "session-expiry-short", 0
	for _, r := range locktest.Explore(t, newExpiring, locktest.On(zookeeper.Store), locktest.With(&short),
		locktest.Only("session-expiry", short.ID), locktest.Properties(checker.TimelyLoss), locktest.Seed(2), locktest.Runs(100)).Results {
		if found := len(r.Findings) > 0; found != (r.Scenario == "session-expiry") {
			t.Errorf("%s: %s, %d findings", r.Scenario, r.Result, len(r.Findings))
		}
	}
}
