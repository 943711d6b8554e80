package flawed_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	miniserver "github.com/alicebob/miniredis/v2/server"
	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/flawed"
)

// The stories in the documents of the flawed locks, step by step. That
// they come about without a script is for the scenarios to show.

// between calls f, once, before the server executes the given command.
func between(m *miniredis.Miniredis, command string, f func()) {
	done := false
	m.Server().SetPreHook(func(_ *miniserver.Peer, cmd string, _ ...string) bool {
		if strings.EqualFold(cmd, command) && !done {
			done = true
			f()
		}
		return false
	})
}

// TestTimestampDel: C1 is gone, C2 and C3 see its lease ended, and C3's DEL
// removes what C2 has just set: both hold the lock.
func TestTimestampDel(t *testing.T) {
	m, client := server(t)
	clock := clockwork.NewFakeClock()
	l := flawed.NewSetNXTimestampDel(client, name, redislocks.Options{TTL: time.Second, Clock: clock})
	acquire(t.Context(), t, l) // C1's
	clock.Advance(2 * time.Second)
	var second lock.Lease
	between(m, "del", func() { second = acquire(t.Context(), t, l) }) // C2 overtakes C3
	third := acquire(t.Context(), t, l)
	if second == nil || third == nil {
		t.Fatal("only one has it")
	}
	if err := second.Release(t.Context()); err != nil || m.Exists(name) {
		t.Errorf("C2's Release says %v and has not removed C3's lock", err)
	}
}

// TestGetSetOverwrites: the loser's GETSET changes the winner's value, so that
// the winner cannot release.
func TestGetSetOverwrites(t *testing.T) {
	m, client := server(t)
	clock := clockwork.NewFakeClock()
	l := flawed.NewSetNXGetSet(client, name, redislocks.Options{TTL: time.Second, Clock: clock})
	acquire(t.Context(), t, l)
	clock.Advance(2 * time.Second)
	var winner lock.Lease
	between(m, "getset", func() { winner = acquire(t.Context(), t, l) })
	ctx, cancel := context.WithCancel(t.Context())
	loser := waiting(ctx, flawed.NewSetNXGetSet(client, name, redislocks.Options{TTL: 2 * time.Second, Clock: clock}))
	if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := winner.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) || !m.Exists(name) {
		t.Errorf("the winner's Release says %v; the key exists: %v", err, m.Exists(name))
	}
	cancel()
	if err := <-loser; !errors.Is(err, context.Canceled) {
		t.Errorf("the loser's Acquire says %v", err)
	}
}

// TestGetSetNil: a lease is released between GET and GETSET. One lock has it
// then; the other has set the key and does not know.
func TestGetSetNil(t *testing.T) {
	for _, nilFails := range []bool{false, true} {
		m, client := server(t)
		clock := clockwork.NewFakeClock()
		build := flawed.NewSetNXGetSet
		if nilFails {
			build = flawed.NewSetNXGetSetNil
		}
		l := build(client, name, redislocks.Options{TTL: time.Second, Clock: clock})
		late := acquire(t.Context(), t, l)
		clock.Advance(2 * time.Second)
		between(m, "getset", func() {
			if err := late.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		result := waiting(ctx, l)
		if nilFails {
			if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			cancel()
		}
		if err := <-result; (err != nil) != nilFails || !m.Exists(name) {
			t.Errorf("nilFails is %v, Acquire says %v; the key exists: %v", nilFails, err, m.Exists(name))
		}
		cancel()
	}
}

// TestPrinted: the slips of the listing, one by one.
func TestPrinted(t *testing.T) {
	const ttl = 2 * time.Second
	stage := func(t *testing.T) (*miniredis.Miniredis, *clockwork.FakeClock, func(name string, uptime time.Duration) lock.Locker) {
		m, client := server(t)
		clock := clockwork.NewFakeClock()
		record := new(flawed.Record)
		return m, clock, func(name string, uptime time.Duration) lock.Locker {
			return flawed.NewSetNXGetSetPrinted(client, name, flawed.PrintedOptions{
				Options: redislocks.Options{TTL: ttl, Clock: clock}, Uptime: uptime, Record: record,
			})
		}
	}
	t.Run("leases end 1,000 times too early", func(t *testing.T) {
		_, clock, make := stage(t)
		acquire(t.Context(), t, make(name, 0))
		clock.Advance(ttl/1000 + 1)
		acquire(t.Context(), t, make(name, ttl/1000+1))
	})
	t.Run("whose machine has been up for longer sees them ended at once", func(t *testing.T) {
		_, _, make := stage(t)
		acquire(t.Context(), t, make(name, time.Hour))
		acquire(t.Context(), t, make(name, 2*time.Hour))
	})
	t.Run("it throws where GET finds nothing, and may hold", func(t *testing.T) {
		m, _, make := stage(t)
		held := acquire(t.Context(), t, make(name, 0))
		between(m, "get", func() { m.Del(name) })
		_, err := make(name, 0).Acquire(t.Context())
		if !errors.Is(err, flawed.ErrNullPointer) || !m.Exists(name) {
			t.Errorf("Acquire says %v; the key exists: %v", err, m.Exists(name))
		}
		_ = held
	})
	t.Run("of two locks the thread releases the second only", func(t *testing.T) {
		m, _, make := stage(t)
		first := acquire(t.Context(), t, make("a", 0))
		second := acquire(t.Context(), t, make("b", 0))
		for _, l := range []lock.Lease{second, first} {
			if err := l.Release(t.Context()); err != nil {
				t.Error(err) // it does not report it
			}
		}
		if m.Exists("b") || !m.Exists("a") {
			t.Errorf("a exists: %v, b exists: %v; want a only", m.Exists("a"), m.Exists("b"))
		}
	})
	t.Run("but each thread has its own", func(t *testing.T) {
		m, _, make := stage(t)
		first := acquire(lock.WithOwner(t.Context(), "1"), t, make("a", 0))
		second := acquire(lock.WithOwner(t.Context(), "2"), t, make("b", 0))
		_, _ = first.Release(t.Context()), second.Release(t.Context())
		if m.Exists("a") || m.Exists("b") {
			t.Error("there is something left")
		}
	})
}

// TestVoid: who has waited in vain has a lease, and a connection less.
func TestVoid(t *testing.T) {
	m, client := server(t)
	clock := clockwork.NewFakeClock()
	l := flawed.NewSetPXVoidPrinted(client, name, flawed.PatientOptions{
		Options: redislocks.Options{Clock: clock, MinSleep: time.Second, RandomSleep: 1}, Wait: time.Second,
	})
	acquire(t.Context(), t, l)
	idle := client.PoolStats().TotalConns - client.PoolStats().IdleConns
	result := waiting(t.Context(), l)
	for range 2 {
		if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		clock.Advance(time.Second)
	}
	if err := <-result; err != nil {
		t.Errorf("Acquire says %v", err)
	}
	if used := client.PoolStats().TotalConns - client.PoolStats().IdleConns; used != idle+1 {
		t.Errorf("%d connections are in use, want %d", used, idle+1)
	}
	_ = m
}

// TestVoidLeaks: who is interrupted while it waits does not give its connection back.
func TestVoidLeaks(t *testing.T) {
	_, client := server(t)
	clock := clockwork.NewFakeClock()
	l := flawed.NewSetPXVoidPrinted(client, name, flawed.PatientOptions{
		Options: redislocks.Options{Clock: clock, MinSleep: time.Second, RandomSleep: 1}, Wait: time.Minute,
	})
	acquire(t.Context(), t, l)
	idle := client.PoolStats().TotalConns - client.PoolStats().IdleConns
	ctx, cancel := context.WithCancel(t.Context())
	result := waiting(ctx, l)
	if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("Acquire says %v", err)
	}
	if used := client.PoolStats().TotalConns - client.PoolStats().IdleConns; used != idle+1 {
		t.Errorf("%d connections are in use, want %d", used, idle+1)
	}
}

// TestSpinRelease: a lease that has ended is not done releasing.
func TestSpinRelease(t *testing.T) {
	m, client := server(t)
	clock := clockwork.NewFakeClock()
	l := flawed.NewSetPXSpinReleasePrinted(client, name, redislocks.Options{TTL: time.Second, Clock: clock})
	late := acquire(t.Context(), t, l)
	m.FastForward(2 * time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- late.Release(ctx) }()
	for range 100 {
		if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-result:
			t.Fatalf("Release says %v", err)
		default:
			clock.Advance(200 * time.Millisecond)
		}
	}
	if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	clock.Advance(25 * 24 * time.Hour)
	if err := <-result; !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("after 25 days Release says %v", err)
	}
	cancel()
	if err := acquire(t.Context(), t, l).Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestRedlockMultiTellsNothing: it sets the lease that was asked for, says
// nothing of its validity, and nothing of a lock that it has lost.
func TestRedlockMultiTellsNothing(t *testing.T) {
	var servers []*miniredis.Miniredis
	var clients []flawed.RedlockMultiClient
	for range 3 {
		m, client := server(t)
		servers, clients = append(servers, m), append(clients, client)
	}
	l := flawed.NewRedlockMulti(clients, name, redislocks.Options{TTL: time.Minute})
	lease := acquire(t.Context(), t, l)
	for i, m := range servers {
		if ttl := m.TTL(name); ttl != time.Minute {
			t.Errorf("on server %d the key lives for %v", i, ttl)
		}
		m.FlushAll()
	}
	if _, expires := lease.(lock.Expirer); expires {
		t.Error("it says until when it is valid")
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Errorf("it reports that the lease was lost: %v", err)
	}
}
