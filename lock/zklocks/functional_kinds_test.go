package zklocks_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/zklocks"
)

// testFences: tokens grow, also when the directory is deleted in between.
func testFences(s *stand) {
	c := s.client(lasting)
	last := int64(0)
	for range 3 {
		for range 2 {
			held := s.acquire(zookeeper(c.Session, s.dir))
			if token := held.(lock.Fenced).Token(); token <= last {
				s.Errorf("token %d follows %d", token, last)
			} else {
				last = token
			}
			s.release(held)
		}
		if err := c.Conn().Delete(s.dir, -1); err != nil {
			s.Fatal(err)
		}
	}
}

// testRenewal: a lease lasts as long as its session, and its end moves on.
func testRenewal(s *stand) {
	held := s.acquire(zookeeper(s.client(lasting).Session, s.dir))
	waiter := s.begin(zookeeper(s.client(lasting).Session, s.dir), 2)
	until := held.(lock.Expirer).Until()
	time.Sleep(lasting + lasting/2)
	select {
	case <-held.(lock.Notifier).Lost():
		s.Error("Lost is closed")
	default:
	}
	if now := held.(lock.Expirer).Until(); now.Sub(until) < lasting || !time.Now().Before(now) {
		s.Errorf("after %v Until has moved by %v", lasting+lasting/2, now.Sub(until))
	}
	waiter.waits()
	s.release(held)
	s.release(waiter.held())
}

// testUntil: a claim that ends by the clock leaves the node, and Release removes it.
func testUntil(s *stand) {
	c := s.client(lasting)
	held := s.acquire(zookeeper(c.Session, s.dir))
	c.link.set(true)
	select {
	case <-held.(lock.Notifier).Lost():
	case <-time.After(soon):
		s.Fatal("Lost is not closed")
	}
	if late := time.Since(held.(lock.Expirer).Until()); late < 0 || late > lasting/4 {
		s.Errorf("Lost is closed %v after Until", late)
	}
	c.link.set(false)
	s.nodes(1)
	s.release(held)
	s.nodes(0)
}

// testReentrance: an owner takes the lock again, and the last release frees it.
func testReentrance(s *stand) {
	c := s.client(lasting)
	l := curator(c.Session, s.dir)
	me := lock.WithOwner(s.Context(), "me")
	enter := func() lock.Lease {
		lease, err := l.Acquire(me)
		if err != nil {
			s.Fatal(err)
		}
		return lease
	}
	first, again := enter(), enter()
	other := s.begin(l, 2)
	s.release(first)
	if err := s.released(first); !errors.Is(err, lock.ErrNotHeld) {
		s.Errorf("the second Release of one acquisition says %v", err)
	}
	other.waits()
	s.release(again)
	s.release(other.held())

	lost, alsoLost := enter(), enter()
	c.link.set(false)
	<-lost.(lock.Notifier).Lost()
	anew := enter()
	for _, lease := range []lock.Lease{lost, alsoLost} {
		_ = s.released(lease)
	}
	s.nodes(1)
	s.release(anew)
	s.nodes(0)
}

// testReaders: readers share, a writer is alone, and nobody is overtaken.
func testReaders(s *stand) {
	lockers := func() *zklocks.ReadWrite {
		return zklocks.NewReadWrite(s.client(lasting).Session, s.dir, zklocks.Options{})
	}
	one, two := s.acquire(lockers().Reader()), s.acquire(lockers().Reader())
	writer := s.begin(lockers().Writer(), 3)
	reader := s.begin(lockers().Reader(), 4)
	s.release(two)
	writer.waits()
	reader.waits()
	s.release(one)
	writing := writer.held()
	reader.waits()
	s.release(writing)
	s.release(reader.held())
	s.nodes(0)
}

// testUpgrade: a writer may read and go on reading; a reader may not write.
func testUpgrade(s *stand) {
	l := zklocks.NewReadWrite(s.client(lasting).Session, s.dir, zklocks.Options{})
	me := lock.WithOwner(s.Context(), "me")
	enter := func(side lock.Locker) lock.Lease {
		lease, err := side.Acquire(me)
		if err != nil {
			s.Fatal(err)
		}
		return lease
	}
	writing, reading := enter(l.Writer()), enter(l.Reader())
	other := s.begin(zklocks.NewReadWrite(s.client(lasting).Session, s.dir, zklocks.Options{}).Writer(), 2)
	s.release(writing)
	other.waits()
	if _, err := l.Writer().Acquire(me); !errors.Is(err, lock.ErrUpgrade) || !errors.Is(err, lock.ErrNotAcquired) {
		s.Errorf("a reader that wants to write is told %v", err)
	}
	s.release(reading)
	s.release(other.held())
}

// testPermits: no more are taken than there are, and nobody is overtaken.
func testPermits(s *stand) {
	semaphore := func() *zklocks.Semaphore {
		return zklocks.NewSemaphore(s.client(lasting).Session, s.dir, 3, zklocks.Options{})
	}
	available := func(want int) {
		s.Helper()
		if n, err := semaphore().Available(s.Context()); err != nil || n != want {
			s.Errorf("%d permits are available, %v; want %d", n, err, want)
		}
	}
	available(3)
	one, another := s.acquire(semaphore()), s.acquire(semaphore())
	available(1)
	two := s.begin(permits{semaphore(), 2}, 3)
	late := s.begin(semaphore(), 4)
	two.waits()
	late.waits()
	available(1)
	s.release(another) // whichever goes first lets them in
	pair := two.held()
	available(0)
	s.release(one)
	s.release(late.held())
	s.release(pair)
	available(3)
	for _, n := range []int{0, 4} {
		if _, err := semaphore().AcquireN(s.Context(), n); !errors.Is(err, lock.ErrNotAcquired) {
			s.Errorf("%d permits of 3: %v", n, err)
		}
	}
}

// permits acquires several at once.
type permits struct {
	*zklocks.Semaphore
	n int
}

func (p permits) Acquire(ctx context.Context) (lock.Lease, error) { return p.AcquireN(ctx, p.n) }

// testWakeUps: a release wakes the next waiter, or all of a herd. Whoever is woken reads
// the directory.
func testWakeUps(s *stand) {
	const waiters = 5
	for _, test := range []struct {
		id   string
		make constructor
		want int
	}{
		{"zookeeper", zookeeper, 1},
		{"zookeeper-herd", herd, waiters},
	} {
		s.Run(test.id, func(t *testing.T) {
			s := newStand(t, s.addr)
			held := s.acquire(test.make(s.client(lasting).Session, s.dir))
			var clients []*client
			var attempts []*attempt
			for n := range waiters {
				c := s.client(lasting)
				clients, attempts = append(clients, c), append(attempts, s.begin(test.make(c.Session, s.dir), n+2))
			}
			attempts[waiters-1].waits() // all have set their watches
			listed := func() (n int) {
				for _, c := range clients {
					n += c.link.sent(opGetChildren)
				}
				return n
			}
			before := listed()
			s.release(held)
			next := attempts[0].held()
			attempts[1].waits()
			woken := listed() - before
			// The next one may list twice, if it had to ask the leader.
			if woken != test.want && woken != test.want+1 {
				s.Errorf("a release with %d waiters made %d listings, want %d or one more", waiters, woken, test.want)
			}
			s.release(next)
			for _, a := range attempts[1:] {
				s.release(a.held())
			}
		})
	}
}

// testPrintedSecondWait: an instance that has waited once does not wait again.
func testPrintedSecondWait(s *stand) {
	s.mkdir()
	l := printed(s.client(lasting).Session, s.dir)
	for round, waits := range []bool{true, false} {
		held := s.acquire(zookeeper(s.client(lasting).Session, s.dir))
		second := s.begin(l, 2)
		if waits {
			second.waits()
			s.release(held)
			s.release(second.held())
			continue
		}
		s.release(second.held()) // while the other holds
		select {
		case <-held.(lock.Notifier).Lost():
			s.Errorf("round %d: the holder had lost the lock", round)
		default:
		}
		s.release(held)
	}
}

// testPrintedWaiterDies: who waits behind a waiter that is gone goes in.
func testPrintedWaiterDies(s *stand) {
	s.mkdir()
	held := s.acquire(printed(s.client(lasting).Session, s.dir))
	dead := s.client(lasting)
	s.begin(printed(dead.Session, s.dir), 2)
	waiter := s.begin(printed(s.client(lasting).Session, s.dir), 3)
	waiter.waits()
	dead.Conn().Close()
	s.release(waiter.held())
	s.nodes(1) // the holder's
	s.release(held)
}

// mkdir creates the directory that the test's is in: the printed lock does not.
func (s *stand) mkdir() {
	_, err := s.client(lasting).Conn().Create("/locks", nil, zk.FlagPersistent, zk.WorldACL(zk.PermAll))
	if err != nil && !errors.Is(err, zk.ErrNodeExists) {
		s.Fatal(err)
	}
}

// testDeadUnlock: a lock of the library's whose session has expired is of no more use.
func testDeadUnlock(s *stand) {
	c := s.client(short)
	l := library(c.Session, s.dir)
	held := s.acquire(l)
	c.link.set(true)
	s.nodes(0)
	c.link.set(false)
	for errors.Is(s.released(held), zk.ErrNoServer) {
		time.Sleep(10 * time.Millisecond)
	}
	if err := s.released(held); !errors.Is(err, lock.ErrNotHeld) {
		s.Errorf("Release says %v", err)
	}
	if _, err := l.Acquire(s.Context()); !errors.Is(err, zk.ErrDeadlock) {
		s.Errorf("Acquire says %v", err)
	}
}

var (
	_ lock.RWLocker  = (*zklocks.ReadWrite)(nil)
	_ lock.Semaphore = (*zklocks.Semaphore)(nil)
)
