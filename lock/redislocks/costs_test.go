package redislocks_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	miniserver "github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/redislocktest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// TestCosts: what each lock sends. Why the script and not a transaction is in the two lines of setpx
// and setpx-watch: both release correctly (the functional tests), and one takes six commands in four
// round trips.
func TestCosts(t *testing.T) {
	redislocktest.Costs(t, functionalLocks, []redislocktest.Cost{
		{ID: "setpx", Acquire: "set (1)", Taken: "set (1)", Released: "evalsha (1)"},
		{ID: "setpx-cad", Acquire: "set (1)", Taken: "set (1)", Released: "cad (1)"},
		{ID: "setpx-delex", Acquire: "set (1)", Taken: "set (1)", Released: "delex (1)"},
		{ID: "setpx-watch", Acquire: "set (1)", Taken: "set (1)", Released: "watch get multi del exec unwatch (4)|watch get multi del exec (3)"},
		{ID: "setpx-fenced", Acquire: "evalsha (1)", Taken: "evalsha (1)", Released: "evalsha (1)"},
		{ID: "setpx-fenced-elsewhere", Acquire: "set incr evalsha (3)", Taken: "set (1)", Released: "evalsha (1)"},
		{ID: "setpx-wait", Acquire: "set wait (1)", Taken: "set wait (1)", Released: "evalsha (1)"},
		{ID: "pull", Acquire: "evalsha (1)", Taken: "evalsha (1)", Released: "evalsha (1)"},
	})
}

// maker makes a lock of the functional tests.
func maker(id string) func(*redis.Client) lock.Locker {
	i := slices.IndexFunc(functionalLocks, func(l redislocktest.Lock) bool { return l.ID == id })
	return func(c *redis.Client) lock.Locker { return functionalLocks[i].Make(c, redislocks.Options{}) }
}

// TestCAD: a server that does not know the command is asked once, for all
// leases of the locker.
func TestCAD(t *testing.T) {
	m, client := server(t) // which knows DELEX
	s := new(redislocktest.Spy)
	client.AddHook(s)
	for _, test := range []struct {
		lock  lock.Locker
		wants []string
	}{
		{redislocks.NewSetPXCAD(client, name, redislocks.Options{}), []string{"set cad evalsha eval (4)", "set evalsha (2)"}},
		{redislocks.NewSetPXDelEx(client, name, redislocks.Options{}), []string{"set delex (2)", "set delex (2)"}},
	} {
		for _, want := range test.wants {
			if err := acquire(t.Context(), t, test.lock).Release(t.Context()); err != nil || m.Exists(name) {
				t.Errorf("Release says %v; the key exists: %v", err, m.Exists(name))
			}
			if got := s.Take(); got != want {
				t.Errorf("the commands were %s, want %s", got, want)
			}
		}
	}
}

// TestPullIOTimeout: a client that heeds deadlines heeds the locker's.
func TestPullIOTimeout(t *testing.T) {
	m, other := server(t)
	o := *other.Options() // it reads for a minute
	o.ContextTimeoutEnabled = true
	client := redis.NewClient(&o)
	defer client.Close()
	hang := make(chan struct{})
	defer close(hang)
	m.Server().SetPreHook(func(_ *miniserver.Peer, cmd string, _ ...string) bool {
		if strings.HasPrefix(strings.ToLower(cmd), "eval") {
			<-hang
		}
		return false
	})
	_, err := redislocks.NewPull(client, name, pull.Options{IOTimeout: 20 * time.Millisecond, MinSleep: time.Millisecond}).Acquire(t.Context())
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) || pull.OutcomeOf(err) != pull.Failed {
		t.Errorf("Acquire says %v", err)
	}
}
