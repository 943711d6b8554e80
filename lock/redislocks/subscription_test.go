package redislocks_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	miniserver "github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// hook has f see every command first; if it answers true it has dealt with it.
func hook(m *miniredis.Miniredis, f func(peer *miniserver.Peer, command string, args []string) bool) {
	m.Server().SetPreHook(func(c *miniserver.Peer, cmd string, args ...string) bool {
		return f(c, strings.ToLower(cmd), args)
	})
}

// counting counts how often a command comes.
func counting(m *miniredis.Miniredis, command string) *atomic.Int32 {
	n := new(atomic.Int32)
	hook(m, func(_ *miniserver.Peer, cmd string, _ []string) bool {
		if cmd == command {
			n.Add(1)
		}
		return false
	})
	return n
}

// subscribed waits until somebody has subscribed.
func subscribed(t *testing.T, m *miniredis.Miniredis, channel string) {
	t.Helper()
	for range 2000 {
		if len(m.PubSubChannels(channel)) > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("nobody subscribes to %q", channel)
}

// TestCloseWaiting: Close makes those who wait return, leaves no goroutine, and
// gives nothing up: what is held can be released after it.
func TestCloseWaiting(t *testing.T) {
	m, client := server(t)
	for id, l := range map[string]lock.Locker{
		"reentrant": redislocks.NewReentrant(client, "a", neverPolls()),
		"watchdog":  redislocks.NewWatchdog(client, "b", redislocks.WatchdogOptions{Options: neverPolls()}),
		"fair":      redislocks.NewFair(client, "c", redislocks.FairOptions{Options: neverPolls()}),
		"semaphore": redislocks.NewSemaphore(client, "d", 1, neverPolls()),
		"permits":   redislocks.NewPermitSemaphore(client, "e", 1, neverPolls()),
		"redlock":   redislocks.NewRedlock([]redislocks.RedlockNode{client}, "f", redislocks.RedlockOptions{Options: neverPolls()}),
	} {
		held := acquire(t.Context(), t, l)
		results := []<-chan error{waiting(t.Context(), l), waiting(t.Context(), l)}
		if id != "redlock" {
			subscribed(t, m, "*")
		}
		if err := l.(interface{ Close() error }).Close(); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		for _, result := range results {
			if err := <-result; !errors.Is(err, lock.ErrClosed) {
				t.Errorf("%s: a waiter gets %v", id, err)
			}
		}
		if _, err := l.Acquire(t.Context()); !errors.Is(err, lock.ErrClosed) {
			t.Errorf("%s: Acquire after Close says %v", id, err)
		}
		if err := held.Release(t.Context()); err != nil {
			t.Errorf("%s: Release after Close says %v", id, err)
		}
	}
	nobodyLeft(t)
}

// nobodyLeft fails the test if goroutines of the package do not end.
func nobodyLeft(t *testing.T) {
	t.Helper()
	var left string
	for range 400 {
		buf := make([]byte, 1<<20)
		left = ""
		for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(g, "lockpick/lock/redislocks.(") {
				left = g
			}
		}
		if left == "" {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("a goroutine is left:\n%s", left)
}

// TestSubscribeRefused: where nobody may subscribe, waiters ask again after the
// pause of the options.
func TestSubscribeRefused(t *testing.T) {
	m, client := server(t)
	hook(m, func(peer *miniserver.Peer, cmd string, _ []string) bool {
		if cmd == "subscribe" {
			peer.WriteError("NOPERM no subscriptions for you")
		}
		return cmd == "subscribe"
	})
	l := closeAtEnd(t, redislocks.NewReentrant(client, name, redislocks.Options{MinSleep: 10 * time.Millisecond, RandomSleep: time.Nanosecond}))
	held := acquire(t.Context(), t, l)
	result := waiting(t.Context(), l)
	time.Sleep(50 * time.Millisecond)
	if err := held.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-result; err != nil {
		t.Error(err)
	}
}

// inBubble runs a test with a Redis, in virtual time: keys do not expire there
// by themselves.
func inBubble(t *testing.T, test func(t *testing.T, m *miniredis.Miniredis, client *redis.Client)) {
	synctest.Test(t, func(t *testing.T) {
		m, client := server(t)
		test(t, m, client)
	})
}

// TestSubscriptionEnds: when nobody has waited for a while the connection goes,
// and it comes again with the next waiter.
func TestSubscriptionEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, m *miniredis.Miniredis, client *redis.Client) {
		l := redislocks.NewReentrant(client, name, neverPolls())
		defer l.Close()
		for range 2 {
			held := acquire(t.Context(), t, l)
			result := waiting(t.Context(), l)
			time.Sleep(time.Minute)
			if len(m.PubSubChannels("*")) != 1 {
				t.Error("there is no subscription while somebody waits")
			}
			if err := held.Release(t.Context()); err != nil {
				t.Error(err)
			}
			if err := <-result; err != nil {
				t.Error(err)
			}
			m.FlushAll()
			time.Sleep(10 * time.Second)
			if n := len(m.PubSubChannels("*")); n != 0 {
				t.Error("there is a subscription when nobody waits")
			}
		}
	})
}

// TestSilentConnection: a connection on which nothing comes, not even the
// answer to a PING, is replaced, and what was missed is looked up.
func TestSilentConnection(t *testing.T) {
	inBubble(t, func(t *testing.T, m *miniredis.Miniredis, client *redis.Client) {
		var subscriptions, pings atomic.Int32
		hook(m, func(_ *miniserver.Peer, cmd string, _ []string) bool {
			if cmd == "subscribe" {
				subscriptions.Add(1)
			}
			return cmd == "ping" && pings.Add(1) == 1 // the first is never answered
		})
		o := neverPolls()
		o.MinSleep = time.Second
		l := redislocks.NewReentrant(client, name, o)
		defer l.Close()
		acquire(t.Context(), t, l)
		result := waiting(t.Context(), l)
		time.Sleep(time.Second)
		m.Del(name) // as if the message had been lost
		if err := <-result; err != nil {
			t.Error(err)
		}
		if n := subscriptions.Load(); n != 2 {
			t.Errorf("there were %d subscriptions", n)
		}
	})
}

// TestWaitsNoLongerThanTheLease: without a message a waiter asks again when the
// lease that it knows of is over.
func TestWaitsNoLongerThanTheLease(t *testing.T) {
	inBubble(t, func(t *testing.T, m *miniredis.Miniredis, client *redis.Client) {
		l := redislocks.NewReentrant(client, name, neverPolls())
		defer l.Close()
		acquire(lock.WithTTL(t.Context(), 7*time.Second), t, l)
		start := time.Now()
		result := waiting(t.Context(), l)
		time.Sleep(time.Second)
		m.Del(name) // as if it had expired: nobody is notified
		if err := <-result; err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took < 7*time.Second || took > 8*time.Second {
			t.Errorf("a waiter behind a lease of 7s waited %v", took)
		}
	})
}

// TestPassedOn: a waiter that was woken and gives up passes it on.
func TestPassedOn(t *testing.T) {
	m, client := server(t)
	l := closeAtEnd(t, redislocks.NewReentrant(client, name, neverPolls()))
	for range 20 {
		held := acquire(t.Context(), t, l)
		ctx, cancel := context.WithCancel(t.Context())
		one, other := waiting(ctx, l), make(chan error, 1)
		go func() {
			lease, err := l.Acquire(t.Context())
			if err == nil {
				err = lease.Release(t.Context())
			}
			other <- err
		}()
		subscribed(t, m, "*")
		go cancel()
		if err := held.Release(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-one; err == nil {
			m.FlushAll() // it got the lock
			m.Publish("{"+name+"}:released", "released")
		}
		if err := <-other; err != nil {
			t.Error(err)
		}
	}
}

// TestKeepsItsPlace: whoever came first is woken first, also when it has been
// woken in vain before.
func TestKeepsItsPlace(t *testing.T) {
	m, client := server(t)
	askers := make(chan string, 100)
	hook(m, func(_ *miniserver.Peer, cmd string, args []string) bool {
		if strings.HasPrefix(cmd, "eval") && len(args) == 6 { // script, 1, key, lease, holder, count
			askers <- args[4]
		}
		return false
	})
	l := closeAtEnd(t, redislocks.NewReentrant(client, name, neverPolls()))
	acquire(t.Context(), t, l)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	settled := func() (last string) {
		for {
			select {
			case last = <-askers:
			case <-time.After(100 * time.Millisecond):
				return last
			}
		}
	}
	settled()
	first := waiting(ctx, l)
	subscribed(t, m, "*")
	firstAsker := settled()
	waiting(ctx, l)
	if second := settled(); second == "" || second == firstAsker {
		t.Fatalf("the second waiter is %q, the first %q", second, firstAsker)
	}
	for range 3 {
		m.Publish("{"+name+"}:released", "released") // and somebody else was faster
		if asked := settled(); asked != firstAsker {
			t.Errorf("%q was woken, and %q came first", asked, firstAsker)
		}
	}
	m.Del(name)
	m.Publish("{"+name+"}:released", "released")
	if err := <-first; err != nil {
		t.Error(err)
	}
}
