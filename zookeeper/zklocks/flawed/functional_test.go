package flawed_test

import (
	"errors"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper/internal/zklocktest"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks/flawed"
)

// TestFunctional puts the locks through the same tests as the sound ones, on a real ZooKeeper, and shows
// what is wrong with them.
func TestFunctional(t *testing.T) {
	zklocktest.Functional(t, []zklocktest.Lock{
		{ID: "zookeeper-herd", Make: herd},
		{ID: "curator", Make: curator},
		{ID: "zklib", Make: library, Library: true},
	},
		zklocktest.Test{Name: "re-entrance", Run: testReentrance},
		zklocktest.Test{Name: "wake-ups", Run: func(s *zklocktest.Stand) { s.WakeUps(herd, zklocktest.Waiters) }},
		zklocktest.Test{Name: "as printed: second wait", Run: testPrintedSecondWait},
		zklocktest.Test{Name: "as printed: waiter dies", Run: testPrintedWaiterDies},
		zklocktest.Test{Name: "zklib: dead unlock", Run: testDeadUnlock},
	)
}

func herd(s *zklocks.Session, dir string) lock.Locker {
	return flawed.NewHerd(s, dir, zklocks.Options{})
}

func curator(s *zklocks.Session, dir string) lock.Locker {
	return flawed.NewCurator(s, dir, zklocks.Options{})
}

func library(s *zklocks.Session, dir string) lock.Locker {
	return flawed.NewLibrary(s, dir, zklocks.Options{})
}

func printed(s *zklocks.Session, dir string) lock.Locker {
	return flawed.NewPrinted(s, dir, zklocks.Options{})
}

func zookeeper(s *zklocks.Session, dir string) lock.Locker {
	return zklocks.NewZookeeper(s, dir, zklocks.Options{})
}

// testReentrance: an owner takes the lock again, and the last release frees it.
func testReentrance(s *zklocktest.Stand) {
	c := s.Client(zklocktest.Lasting)
	l := curator(c.Session, s.Dir)
	me := lock.WithOwner(s.Context(), "me")
	enter := func() lock.Lease {
		lease, err := l.Acquire(me)
		if err != nil {
			s.Fatal(err)
		}
		return lease
	}
	first, again := enter(), enter()
	other := s.Begin(l, 2)
	s.Release(first)
	if err := s.Released(first); !errors.Is(err, lock.ErrNotHeld) {
		s.Errorf("the second Release of one acquisition says %v", err)
	}
	other.Waits()
	s.Release(again)
	s.Release(other.Held())

	lost, alsoLost := enter(), enter()
	c.Link.Set(false)
	<-lost.(lock.Notifier).Lost()
	anew := enter()
	for _, lease := range []lock.Lease{lost, alsoLost} {
		_ = s.Released(lease)
	}
	s.Nodes(1)
	s.Release(anew)
	s.Nodes(0)
}

// testPrintedSecondWait: an instance that has waited once does not wait again.
func testPrintedSecondWait(s *zklocktest.Stand) {
	mkdir(s)
	l := printed(s.Client(zklocktest.Lasting).Session, s.Dir)
	for round, waits := range []bool{true, false} {
		held := s.Acquire(zookeeper(s.Client(zklocktest.Lasting).Session, s.Dir))
		second := s.Begin(l, 2)
		if waits {
			second.Waits()
			s.Release(held)
			s.Release(second.Held())
			continue
		}
		s.Release(second.Held()) // while the other holds
		select {
		case <-held.(lock.Notifier).Lost():
			s.Errorf("round %d: the holder had lost the lock", round)
		default:
		}
		s.Release(held)
	}
}

// testPrintedWaiterDies: who waits behind a waiter that is gone goes in.
func testPrintedWaiterDies(s *zklocktest.Stand) {
	mkdir(s)
	held := s.Acquire(printed(s.Client(zklocktest.Lasting).Session, s.Dir))
	dead := s.Client(zklocktest.Lasting)
	s.Begin(printed(dead.Session, s.Dir), 2)
	waiter := s.Begin(printed(s.Client(zklocktest.Lasting).Session, s.Dir), 3)
	waiter.Waits()
	dead.Conn().Close()
	s.Release(waiter.Held())
	s.Nodes(1) // the holder's
	s.Release(held)
}

// mkdir creates the directory that the test's is in: the printed lock does not.
func mkdir(s *zklocktest.Stand) {
	_, err := s.Client(zklocktest.Lasting).Conn().Create("/locks", nil, zk.FlagPersistent, zk.WorldACL(zk.PermAll))
	if err != nil && !errors.Is(err, zk.ErrNodeExists) {
		s.Fatal(err)
	}
}

// testDeadUnlock: a lock of the library's whose session has expired is of no more use.
func testDeadUnlock(s *zklocktest.Stand) {
	c := s.Client(zklocktest.Short)
	l := library(c.Session, s.Dir)
	held := s.Acquire(l)
	c.Link.Set(true)
	s.Nodes(0)
	c.Link.Set(false)
	for errors.Is(s.Released(held), zk.ErrNoServer) {
		time.Sleep(10 * time.Millisecond)
	}
	if err := s.Released(held); !errors.Is(err, lock.ErrNotHeld) {
		s.Errorf("Release says %v", err)
	}
	if _, err := l.Acquire(s.Context()); !errors.Is(err, zk.ErrDeadlock) {
		s.Errorf("Acquire says %v", err)
	}
}
