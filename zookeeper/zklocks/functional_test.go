package zklocks_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper/internal/zklocktest"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks"
)

// TestFunctional asks of the locks, on a real ZooKeeper, what a lock is there for.
func TestFunctional(t *testing.T) {
	zklocktest.Functional(t, []zklocktest.Lock{
		{ID: "zookeeper", Make: zookeeper},
		{ID: "readwrite", Make: func(s *zklocks.Session, dir string) lock.Locker {
			return zklocks.NewReadWrite(s, dir, zklocks.Options{}).Writer()
		}},
		{ID: "semaphore", WatchesDirectory: true, Make: func(s *zklocks.Session, dir string) lock.Locker {
			return zklocks.NewSemaphore(s, dir, 1, zklocks.Options{})
		}},
	},
		zklocktest.Test{Name: "expiry before the watch", Run: testExpiryBeforeWatch},
		zklocktest.Test{Name: "fences", Run: testFences},
		zklocktest.Test{Name: "renewal", Run: testRenewal},
		zklocktest.Test{Name: "until", Run: testUntil},
		zklocktest.Test{Name: "readers", Run: testReaders},
		zklocktest.Test{Name: "upgrade", Run: testUpgrade},
		zklocktest.Test{Name: "permits", Run: testPermits},
		zklocktest.Test{Name: "wake-ups", Run: func(s *zklocktest.Stand) { s.WakeUps(zookeeper, 1) }},
	)
}

func zookeeper(s *zklocks.Session, dir string) lock.Locker {
	return zklocks.NewZookeeper(s, dir, zklocks.Options{})
}

// testExpiryBeforeWatch: a waiter whose session ends before it has set its watch does not
// wait without a node.
func testExpiryBeforeWatch(s *zklocktest.Stand) {
	held := s.Acquire(zookeeper(s.Client(zklocktest.Lasting).Session, s.Dir))
	c := s.Client(zklocktest.Short)
	c.Link.On(zklocktest.OpGetData, func(send func()) {
		send() // of its own node
		c.Link.On(zklocktest.OpGetData, func(func()) { c.Link.Set(true) })
	})
	waiter := s.Begin(zookeeper(c.Session, s.Dir), 2)
	s.Nodes(1)
	c.Link.Set(false)
	s.Nodes(2)
	s.Release(held)
	s.Release(waiter.Held())
}

// testFences: tokens grow, also when the directory is deleted in between.
func testFences(s *zklocktest.Stand) {
	c := s.Client(zklocktest.Lasting)
	last := int64(0)
	for range 3 {
		for range 2 {
			held := s.Acquire(zookeeper(c.Session, s.Dir))
			if token := held.(lock.Fenced).Token(); token <= last {
				s.Errorf("token %d follows %d", token, last)
			} else {
				last = token
			}
			s.Release(held)
		}
		if err := c.Conn().Delete(s.Dir, -1); err != nil {
			s.Fatal(err)
		}
	}
}

// testRenewal: a lease lasts as long as its session, and its end moves on.
func testRenewal(s *zklocktest.Stand) {
	held := s.Acquire(zookeeper(s.Client(zklocktest.Lasting).Session, s.Dir))
	waiter := s.Begin(zookeeper(s.Client(zklocktest.Lasting).Session, s.Dir), 2)
	until := held.(lock.Expirer).Until()
	time.Sleep(zklocktest.Lasting + zklocktest.Lasting/2)
	select {
	case <-held.(lock.Notifier).Lost():
		s.Error("Lost is closed")
	default:
	}
	if now := held.(lock.Expirer).Until(); now.Sub(until) < zklocktest.Lasting || !time.Now().Before(now) {
		s.Errorf("after %v Until has moved by %v", zklocktest.Lasting+zklocktest.Lasting/2, now.Sub(until))
	}
	waiter.Waits()
	s.Release(held)
	s.Release(waiter.Held())
}

// testUntil: a claim that ends by the clock leaves the node, and Release removes it.
func testUntil(s *zklocktest.Stand) {
	c := s.Client(zklocktest.Lasting)
	held := s.Acquire(zookeeper(c.Session, s.Dir))
	c.Link.Set(true)
	select {
	case <-held.(lock.Notifier).Lost():
	case <-time.After(zklocktest.Soon):
		s.Fatal("Lost is not closed")
	}
	if late := time.Since(held.(lock.Expirer).Until()); late < 0 || late > zklocktest.Lasting/4 {
		s.Errorf("Lost is closed %v after Until", late)
	}
	c.Link.Set(false)
	s.Nodes(1)
	s.Release(held)
	s.Nodes(0)
}

// testReaders: readers share, a writer is alone, and nobody is overtaken.
func testReaders(s *zklocktest.Stand) {
	lockers := func() *zklocks.ReadWrite {
		return zklocks.NewReadWrite(s.Client(zklocktest.Lasting).Session, s.Dir, zklocks.Options{})
	}
	one, two := s.Acquire(lockers().Reader()), s.Acquire(lockers().Reader())
	writer := s.Begin(lockers().Writer(), 3)
	reader := s.Begin(lockers().Reader(), 4)
	s.Release(two)
	writer.Waits()
	reader.Waits()
	s.Release(one)
	writing := writer.Held()
	reader.Waits()
	s.Release(writing)
	s.Release(reader.Held())
	s.Nodes(0)
}

// testUpgrade: a writer may read and go on reading; a reader may not write.
func testUpgrade(s *zklocktest.Stand) {
	l := zklocks.NewReadWrite(s.Client(zklocktest.Lasting).Session, s.Dir, zklocks.Options{})
	me := lock.WithOwner(s.Context(), "me")
	enter := func(side lock.Locker) lock.Lease {
		lease, err := side.Acquire(me)
		if err != nil {
			s.Fatal(err)
		}
		return lease
	}
	writing, reading := enter(l.Writer()), enter(l.Reader())
	other := s.Begin(zklocks.NewReadWrite(s.Client(zklocktest.Lasting).Session, s.Dir, zklocks.Options{}).Writer(), 2)
	s.Release(writing)
	other.Waits()
	if _, err := l.Writer().Acquire(me); !errors.Is(err, lock.ErrUpgrade) || !errors.Is(err, lock.ErrNotAcquired) {
		s.Errorf("a reader that wants to write gets %v", err)
	}
	s.Release(reading)
	s.Release(other.Held())
}

// testPermits: no more are taken than there are, and nobody is overtaken.
func testPermits(s *zklocktest.Stand) {
	semaphore := func() *zklocks.Semaphore {
		return zklocks.NewSemaphore(s.Client(zklocktest.Lasting).Session, s.Dir, 3, zklocks.Options{})
	}
	available := func(want int) {
		s.Helper()
		if n, err := semaphore().Available(s.Context()); err != nil || n != want {
			s.Errorf("%d permits are available, %v; want %d", n, err, want)
		}
	}
	available(3)
	one, another := s.Acquire(semaphore()), s.Acquire(semaphore())
	available(1)
	two := s.Begin(permits{semaphore(), 2}, 3)
	late := s.Begin(semaphore(), 4)
	two.Waits()
	late.Waits()
	available(1)
	s.Release(another) // whichever goes first lets them in
	pair := two.Held()
	available(0)
	s.Release(one)
	s.Release(late.Held())
	s.Release(pair)
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

var (
	_ lock.RWLocker  = (*zklocks.ReadWrite)(nil)
	_ lock.Semaphore = (*zklocks.Semaphore)(nil)
)
