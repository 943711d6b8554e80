package redislocks_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	miniserver "github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// spy notes the commands that a client sends, in order, and how many round trips
// they take: a pipeline is one.
type spy struct {
	mu       sync.Mutex
	commands []string
	trips    int
}

func (s *spy) note(commands ...redis.Cmder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trips++
	for _, c := range commands {
		s.commands = append(s.commands, c.Name())
	}
}

func (s *spy) sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.commands)
}

func (s *spy) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintf("%s (%d)", strings.Join(s.commands, " "), s.trips)
	s.commands, s.trips = nil, 0
	return text
}

func (s *spy) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (s *spy) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, c redis.Cmder) error {
		s.note(c)
		return next(ctx, c)
	}
}

func (s *spy) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		if !slices.ContainsFunc(commands, func(c redis.Cmder) bool { return c.Name() == "hello" || c.Name() == "client" }) {
			s.note(commands...)
		}
		return next(ctx, commands)
	}
}

// TestCosts: what each lock sends, and in brackets in how many round trips, for
// an acquisition, a try that fails, and a release, once the server knows its
// scripts. Why the script and not a transaction is in the two lines of setpx and
// setpx-watch: both release correctly (the functional tests), and one takes six
// commands in four round trips. Behind a bar is what newer versions of go-redis
// send.
func TestCosts(t *testing.T) {
	for _, test := range []struct {
		id                       string
		make                     func(*redis.Client) lock.Locker
		acquire, taken, released string
	}{
		{"setpx", maker("setpx"), "set (1)", "set (1)", "evalsha (1)"},
		{"setpx-cad", maker("setpx-cad"), "set (1)", "set (1)", "cad (1)"},
		{"setpx-watch", maker("setpx-watch"), "set (1)", "set (1)", "watch get multi del exec unwatch (4)|watch get multi del exec (3)"},
		{"setpx-fenced", maker("setpx-fenced"), "evalsha (1)", "evalsha (1)", "evalsha (1)"},
		{"setpx-fenced-elsewhere", maker("setpx-fenced-elsewhere"), "set incr evalsha (3)", "set (1)", "evalsha (1)"},
		{"setpx-wait", maker("setpx-wait"), "set wait (1)", "set wait (1)", "evalsha (1)"},
		{"setpx-twostep", maker("setpx-twostep"), "set (1)", "set (1)", "get del (2)"},
		{"setpx-del", maker("setpx-del"), "set (1)", "set (1)", "del (1)"},
		{"setnx", maker("setnx"), "setnx (1)|set (1)", "setnx (1)|set (1)", "del (1)"},
		{"setnx-timestamp-del", maker("setnx-timestamp-del"), "setnx (1)|set (1)", "setnx get (2)|set get (2)", "del (1)"},
		{"setnx-getset", maker("setnx-getset"), "setnx (1)|set (1)", "setnx get (2)|set get (2)", "get del (2)"},
		{"pull", maker("pull"), "evalsha (1)", "evalsha (1)", "evalsha (1)"},
	} {
		t.Run(test.id, func(t *testing.T) {
			m, client := server(t)
			offerCAD(m)
			l := test.make(client)
			if err := acquire(t.Context(), t, l).Release(t.Context()); err != nil { // loads the scripts
				t.Fatal(err)
			}
			s := new(spy)
			client.AddHook(s)
			l = test.make(client) // some keep a client of their own
			lease := acquire(t.Context(), t, l)
			if got := s.take(); !slices.Contains(strings.Split(test.acquire, "|"), got) {
				t.Errorf("an acquisition is %s, want %s", got, test.acquire)
			}
			ctx, cancel := context.WithCancel(t.Context())
			result := waiting(ctx, l)
			taken := strings.Split(test.taken, "|")
			for s.sent() < strings.Count(taken[0], " ") { // until it has asked, and sleeps
				time.Sleep(time.Millisecond)
			}
			cancel()
			if err := <-result; !errors.Is(err, context.Canceled) {
				t.Errorf("a cancelled Acquire says %v", err)
			}
			if got := s.take(); !slices.ContainsFunc(taken, func(want string) bool {
				commands, _, _ := strings.Cut(want, " (")
				return strings.HasPrefix(got, commands)
			}) {
				t.Errorf("a try that fails is %s, want %s", got, test.taken)
			}
			if err := lease.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.take(); !slices.Contains(strings.Split(test.released, "|"), got) {
				t.Errorf("a release is %s, want %s", got, test.released)
			}
		})
	}
}

// maker makes a lock of the functional tests.
func maker(id string) func(*redis.Client) lock.Locker {
	i := slices.IndexFunc(functionalLocks, func(l functionalLock) bool { return l.id == id })
	return func(c *redis.Client) lock.Locker { return functionalLocks[i].make(c, redislocks.Options{}) }
}

// offerCAD has a miniredis know CAD.
func offerCAD(m *miniredis.Miniredis) {
	_ = m.Server().Register("CAD", func(c *miniserver.Peer, _ string, args []string) {
		switch value, err := m.Get(args[0]); {
		case err != nil:
			c.WriteInt(-1)
		case value != args[1]:
			c.WriteInt(0)
		default:
			m.Del(args[0])
			c.WriteInt(1)
		}
	})
}

// TestCAD: a server that does not know the command is asked once, for all
// leases of the locker.
func TestCAD(t *testing.T) {
	m, client := server(t)
	s := new(spy)
	client.AddHook(s)
	l := redislocks.NewSetPXCAD(client, name, redislocks.Options{})
	for _, want := range []string{"set cad evalsha eval (4)", "set evalsha (2)"} {
		if err := acquire(t.Context(), t, l).Release(t.Context()); err != nil || m.Exists(name) {
			t.Errorf("Release says %v; the key exists: %v", err, m.Exists(name))
		}
		if got := s.take(); got != want {
			t.Errorf("the commands were %s, want %s", got, want)
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
