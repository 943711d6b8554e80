package redislocks_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	miniserver "github.com/alicebob/miniredis/v2/server"
	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/redislocktest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// TestWaitTooFew: as long as too few replicas have the lock nobody gets it, and
// the key is taken back at once.
func TestWaitTooFew(t *testing.T) {
	m, client := server(t)
	replicas := make(chan int, 2)
	asked := redislocktest.AnswerWait(m, func() int { return <-replicas })
	clock := clockwork.NewFakeClock()
	l := redislocks.NewSetPXWait(client, name, redislocks.WaitOptions{
		Options: redislocks.Options{Clock: clock, TTL: time.Minute}, Replicas: 2,
	})
	result := waiting(t.Context(), l)
	replicas <- 1
	if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if m.Exists(name) {
		t.Error("the key is still there")
	}
	replicas <- 2
	clock.Advance(time.Second)
	if err := <-result; err != nil || !m.Exists(name) {
		t.Errorf("Acquire says %v; the key exists: %v", err, m.Exists(name))
	}
	if want := []string{"2 1000", "2 1000"}; !slices.Equal(*asked, want) {
		t.Errorf("asked to WAIT %q, want %q", *asked, want)
	}
}

// TestWaitCancelled: the key is taken back though ctx is done.
func TestWaitCancelled(t *testing.T) {
	m, client := server(t)
	ctx, cancel := context.WithCancel(t.Context())
	redislocktest.AnswerWait(m, func() int { cancel(); return 0 })
	_, err := redislocks.NewSetPXWait(client, name, redislocks.WaitOptions{}).Acquire(ctx)
	if !errors.Is(err, context.Canceled) || m.Exists(name) {
		t.Errorf("Acquire says %v; the key exists: %v", err, m.Exists(name))
	}
}

// TestWaitRefused: a WAIT that fails is no yes, and leaves no key.
func TestWaitRefused(t *testing.T) {
	m, client := server(t)
	m.Server().SetPreHook(func(c *miniserver.Peer, cmd string, _ ...string) bool {
		if !strings.EqualFold(cmd, "wait") {
			return false
		}
		c.WriteError("NOPERM no WAIT for you")
		return true
	})
	_, err := redislocks.NewSetPXWait(client, name, redislocks.WaitOptions{}).Acquire(t.Context())
	if err == nil || !strings.Contains(err.Error(), "NOPERM") || m.Exists(name) {
		t.Errorf("Acquire says %v; the key exists: %v", err, m.Exists(name))
	}
}

// TestWaitNoReplicas: a primary that has lost its replicas refuses, which is no error, and leaves no key.
func TestWaitNoReplicas(t *testing.T) {
	m, client := server(t)
	refusals := 0
	m.Server().SetPreHook(func(c *miniserver.Peer, cmd string, _ ...string) bool {
		switch {
		case strings.EqualFold(cmd, "wait"):
			c.WriteInt(1)
		case !strings.EqualFold(cmd, "set") || refusals == 3:
			return false
		default:
			refusals++
			c.WriteError("NOREPLICAS Not enough good replicas to write.")
		}
		return true
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	acquire(ctx, t, redislocks.NewSetPXWait(client, name, redislocks.WaitOptions{Options: redislocks.Options{MinSleep: time.Millisecond}}))
	if refusals != 3 {
		t.Errorf("refused %d times", refusals)
	}
}

// TestWaitPatience: a WAIT ends well before the read timeout and the lease, and
// is never one for ever.
func TestWaitPatience(t *testing.T) {
	for _, test := range []struct {
		read, ttl, timeout time.Duration
		want               string
	}{
		{0, time.Minute, 0, "1 1000"},
		{0, time.Minute, 50 * time.Millisecond, "1 50"},
		{0, time.Minute, time.Hour, "1 1500"}, // go-redis reads for 3 s
		{300 * time.Millisecond, time.Minute, 0, "1 150"},
		{-1, time.Minute, 7 * time.Second, "1 7000"},
		{0, 100 * time.Millisecond, 0, "1 50"},
		{0, time.Millisecond, 0, "1 1"},
		{0, time.Minute, time.Microsecond, "1 1"},
	} {
		m, other := server(t)
		asked := redislocktest.AnswerWait(m, func() int { return 1 })
		o := *other.Options()
		o.ReadTimeout = 3 * time.Second // newer versions have 5
		if test.read != 0 {
			o.ReadTimeout = test.read
		}
		client := redis.NewClient(&o)
		acquire(t.Context(), t, redislocks.NewSetPXWait(client, name, redislocks.WaitOptions{
			Options: redislocks.Options{TTL: test.ttl}, Timeout: test.timeout,
		}))
		_ = client.Close()
		if !slices.Equal(*asked, []string{test.want}) {
			t.Errorf("%+v: asked to WAIT %q", test, *asked)
		}
	}
}

// TestWaitReal: with a real Redis the lock is held when its replica has it, and
// not without.
func TestWaitReal(t *testing.T) {
	primary := realredis.Start(t)
	client := primary.Client(t, nil)
	l := redislocks.NewSetPXWait(client, name, redislocks.WaitOptions{Timeout: 100 * time.Millisecond})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := l.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a replica Acquire says %v", err)
	}
	if n, err := client.Exists(t.Context(), name).Result(); err != nil || n != 0 {
		t.Errorf("the key is still there (%v)", err)
	}
	replica := realredis.Start(t, "--replicaof", "127.0.0.1", primary.Port).Client(t, nil)
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	lease := acquire(ctx, t, l)
	if n, err := replica.Exists(ctx, name).Result(); err != nil || n != 1 {
		t.Errorf("the replica has %d keys (%v)", n, err)
	}
	if err := lease.Release(ctx); err != nil {
		t.Error(err)
	}
	if err := lease.Release(ctx); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("the second Release says %v", err)
	}
}
