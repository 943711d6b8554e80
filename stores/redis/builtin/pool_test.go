package builtin_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/flawed"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestPoolExhausted: the search finds that the printed lock keeps the connection of who has waited in
// vain, and that it needs few connections. Of its twin that gives it back it finds nothing.
func TestPoolExhausted(t *testing.T) {
	slowtest.SkipIfShort(t)
	explored := func(l cell.NewLock, o ...locktest.Option) locktest.Report {
		return locktest.Explore(t, l, append(o, locktest.On(redisstore.Store), locktest.Only("pool-exhausted"), locktest.Runs(200))...)
	}
	if r := explored(newReturning); len(r.Findings) > 0 {
		t.Errorf("the twin: %v", r.Results[0])
	}
	r := explored(newPrinted, locktest.Properties(checker.Progress))
	if len(r.Findings) != 1 || r.Findings[0].Limit {
		t.Fatalf("the printed lock: %d findings, %v", len(r.Findings), r.Results[0])
	}
	found := r.Findings[0].Trace
	if !slices.ContainsFunc(found.Parameters, func(p traces.Parameter) bool { return p.Name == "connections" }) {
		t.Errorf("the flaw shows without connections: %v", found.Parameters)
	}
	if !slices.ContainsFunc(found.History.Operations, func(op model.Operation) bool {
		return strings.Contains(op.Err, "redis: connection pool timeout")
	}) {
		t.Error("no operation ended with go-redis's error")
	}
}

func newPrinted(c *cell.Client) lock.Locker {
	return flawed.NewSetPXVoidPrinted(redisstore.Connect(c), c.LockName(), flawed.PatientOptions{
		Options: redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()}, Wait: c.TTL() / 8,
	})
}

// returning is the printed lock but for its mistakes: it says that it has waited in vain, and gives its
// connection back in any case.
type returning struct {
	c   *cell.Client
	rdb *redis.Client
}

func newReturning(c *cell.Client) lock.Locker { return returning{c, redisstore.Connect(c)} }

var errInVain = errors.New("waited in vain")

func (l returning) Acquire(ctx context.Context) (lock.Lease, error) {
	conn := l.rdb.Conn()
	defer func() { _ = conn.Close() }() // gives it back
	const pause = 100 * time.Millisecond
	value := rand.Text()
	for left := l.c.TTL() / 8; left >= 0; left -= pause {
		ok, err := conn.SetNX(ctx, l.c.LockName(), value, l.c.TTL()).Result()
		if err != nil {
			return nil, err
		}
		if ok {
			return returningLease{l, value}, nil
		}
		l.c.Clock().Sleep(pause)
	}
	return nil, errInVain
}

type returningLease struct {
	returning
	value string
}

var compareAndDelete = redis.NewScript(`if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end`)

func (l returningLease) Release(ctx context.Context) error {
	n, err := compareAndDelete.Run(ctx, l.rdb, []string{l.c.LockName()}, l.value).Int()
	if err == nil && n == 0 {
		return lock.ErrNotHeld
	}
	return err
}
