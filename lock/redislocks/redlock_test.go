package redislocks_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	miniserver "github.com/alicebob/miniredis/v2/server"
	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// nodes are five independent servers, and their clients.
func nodes(t *testing.T) (servers []*miniredis.Miniredis, clients []redislocks.RedlockNode) {
	for range 5 {
		m, client := server(t)
		servers, clients = append(servers, m), append(clients, client)
	}
	return servers, clients
}

// having is how many of the servers have the lock.
func having(servers []*miniredis.Miniredis) (n int) {
	for _, m := range servers {
		if m.Exists(name) {
			n++
		}
	}
	return n
}

// TestRedlockMinority: with two of five servers down or taken it is as good as
// with all.
func TestRedlockMinority(t *testing.T) {
	servers, clients := nodes(t)
	servers[0].SetError("LOADING for good")
	if err := servers[3].Set(name, "somebody"); err != nil {
		t.Fatal(err)
	}
	l := closeAtEnd(t, redislocks.NewRedlock(clients, name, redislocks.RedlockOptions{NodeTimeout: time.Minute}))
	lease := acquire(t.Context(), t, l)
	if n := having(servers); n != 4 {
		t.Errorf("%d servers have the lock", n)
	}
	before := time.Now()
	if err := lease.(lock.Extender).Extend(t.Context(), time.Hour); err != nil {
		t.Error(err)
	}
	if until := lease.(lock.Expirer).Until(); until.Before(before.Add(59*time.Minute)) || servers[1].TTL(name) != time.Hour {
		t.Errorf("after Extend it is valid until %v, and a key for %v", until, servers[1].TTL(name))
	}
	if err := lease.Release(t.Context()); err != nil || having(servers) != 1 {
		t.Errorf("after Release (%v) %d servers have the lock", err, having(servers))
	}
	if err := lease.Release(t.Context()); err == nil {
		t.Error("a second Release reports success")
	}
}

// TestRedlockNoMajority: without a majority nobody has it, and nothing is left.
func TestRedlockNoMajority(t *testing.T) {
	servers, clients := nodes(t)
	l := closeAtEnd(t, redislocks.NewRedlock(clients, name, redislocks.RedlockOptions{NodeTimeout: time.Minute}))
	for _, m := range servers[:3] {
		if err := m.Set(name, "somebody"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.TryAcquire(t.Context()); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("when three of five are taken TryAcquire says %v", err)
	}
	for _, m := range servers[:3] {
		m.SetError("LOADING for good")
	}
	if _, err := l.Acquire(t.Context()); err == nil || errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("when three of five are down Acquire says %v", err)
	}
	eventually(t, "two servers have the lock that nobody has", func() bool { return having(servers[3:]) == 0 })
}

// eventually waits until something is true.
func eventually(t *testing.T, otherwise string, is func() bool) {
	t.Helper()
	for range 2000 {
		if is() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error(otherwise)
}

// TestRedlockHung: two servers that do not answer keep nobody waiting, and what
// they do in the end is undone.
func TestRedlockHung(t *testing.T) {
	servers, clients := nodes(t)
	on := make(chan struct{})
	for _, m := range servers[:2] {
		hook(m, func(*miniserver.Peer, string, []string) bool {
			<-on
			return false
		})
	}
	l := redislocks.NewRedlock(clients, name, redislocks.RedlockOptions{NodeTimeout: time.Hour})
	lease := acquire(t.Context(), t, l)
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
	close(on)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if n := having(servers); n != 0 {
		t.Errorf("%d servers have a lock that was released", n)
	}
	nobodyLeft(t)
}

// TestRedlockHungLoad: a server that does not answer is asked one thing, however
// often the lock is taken meanwhile.
func TestRedlockHungLoad(t *testing.T) {
	servers, clients := nodes(t)
	var asked atomic.Int32
	on := make(chan struct{})
	hook(servers[0], func(_ *miniserver.Peer, cmd string, _ []string) bool {
		if strings.HasPrefix(cmd, "EVAL") {
			asked.Add(1)
		}
		<-on
		return false
	})
	l := redislocks.NewRedlock(clients, name, redislocks.RedlockOptions{NodeTimeout: time.Hour})
	for range 20 {
		if err := acquire(t.Context(), t, l).Release(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if n := asked.Load(); n > 1 {
		t.Errorf("it was asked %d times", n)
	}
	close(on)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if n := having(servers); n != 0 {
		t.Errorf("%d servers have a lock that was released", n)
	}
}

// TestRedlockTooLate: a majority that comes when the validity is over is none.
func TestRedlockTooLate(t *testing.T) {
	servers, clients := nodes(t)
	clock := clockwork.NewFakeClock()
	var late atomic.Bool
	late.Store(true)
	for _, m := range servers[:3] { // one of which is in every majority
		hook(m, func(_ *miniserver.Peer, cmd string, _ []string) bool {
			if cmd == "set" && late.Load() {
				clock.Advance(11 * time.Second)
			}
			return false
		})
	}
	l := closeAtEnd(t, redislocks.NewRedlock(clients, name, redislocks.RedlockOptions{
		Options: redislocks.Options{TTL: 10 * time.Second, Clock: clock}, NodeTimeout: time.Hour,
	}))
	if _, err := l.TryAcquire(t.Context()); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("TryAcquire says %v", err)
	}
	eventually(t, "servers have the lock that nobody has", func() bool { return having(servers) == 0 })
	late.Store(false)
	if _, err := l.TryAcquire(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestRedlockLost: a lease that a majority has lost is not held.
func TestRedlockLost(t *testing.T) {
	servers, clients := nodes(t)
	l := closeAtEnd(t, redislocks.NewRedlock(clients, name, redislocks.RedlockOptions{NodeTimeout: time.Minute}))
	lease := acquire(t.Context(), t, l)
	eventually(t, "a server has not heard of the lock", func() bool { return having(servers) == len(servers) })
	for _, m := range servers[:3] {
		m.FlushAll()
	}
	if err := lease.(lock.Extender).Extend(t.Context(), time.Minute); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Extend says %v", err)
	}
	if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Release says %v", err)
	}
	eventually(t, "servers have the lock that was released", func() bool { return having(servers) == 0 })
}

// TestRedlockEnded: who is closed, or comes with a context that is done, gets
// nothing, and nobody is asked.
func TestRedlockEnded(t *testing.T) {
	servers, clients := nodes(t)
	l := redislocks.NewRedlock(clients, name, redislocks.RedlockOptions{})
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if _, err := l.Acquire(done); !errors.Is(err, context.Canceled) {
			t.Fatalf("with a context that is done Acquire says %v", err)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	for range 20 {
		if _, err := l.Acquire(t.Context()); !errors.Is(err, lock.ErrClosed) {
			t.Fatalf("after Close Acquire says %v", err)
		}
		if _, err := l.TryAcquire(t.Context()); !errors.Is(err, lock.ErrClosed) {
			t.Fatalf("after Close TryAcquire says %v", err)
		}
	}
	if n := having(servers); n != 0 {
		t.Errorf("%d servers have the lock", n)
	}
}

// TestRedlockExtended: a release has as much time as the extended lease gives it.
func TestRedlockExtended(t *testing.T) {
	servers, clients := nodes(t)
	const ttl = 200 * time.Millisecond
	l := closeAtEnd(t, redislocks.NewRedlock(clients, name, redislocks.RedlockOptions{
		Options: redislocks.Options{TTL: ttl}, NodeTimeout: time.Minute,
	}))
	lease := acquire(t.Context(), t, l)
	for range 50 { // a busy machine may be too late
		if lease.(lock.Extender).Extend(t.Context(), time.Minute) == nil {
			break
		}
		_ = lease.Release(t.Context()) // is over
		lease = acquire(t.Context(), t, l)
	}
	for _, m := range servers {
		hook(m, func(*miniserver.Peer, string, []string) bool {
			time.Sleep(ttl / 2) // a release has at least two commands, and half of the first lease would not do
			return false
		})
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
	eventually(t, "servers have a lock that was released", func() bool { return having(servers) == 0 })
}
