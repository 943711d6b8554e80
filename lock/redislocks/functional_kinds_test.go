package redislocks_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/redislocktest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// stand is where a lock stands its test.
type stand struct{ *redislocktest.Stand }

func newStand(t *testing.T, server *realredis.Server, l redislocktest.Lock) *stand {
	return &stand{&redislocktest.Stand{T: t, Server: server, Lock: l}}
}

// kindStand is a real Redis for locks that are not one holder's.
func kindStand(t *testing.T) *stand { return newStand(t, realredis.Start(t), redislocktest.Lock{}) }

func closeAtEnd[L interface{ Close() error }](t *testing.T, l L) L {
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func (s *stand) rwLock() *redislocks.ReadWrite {
	return closeAtEnd(s.T, redislocks.NewReadWrite(s.Server.Client(s.T, nil), name, neverPolls()))
}

// have acquires, and fails the test if that does not come about soon.
func (s *stand) have(l lock.Locker) lock.Lease {
	s.T.Helper()
	lease, err := s.Acquire(l, soon)
	if err != nil {
		s.T.Fatal(err)
	}
	return lease
}

// refused fails the test if the lock can be had.
func (s *stand) refused(what string, l lock.Locker) {
	s.T.Helper()
	if _, err := s.Acquire(l, busy); !errors.Is(err, context.DeadlineExceeded) {
		s.T.Errorf("%s: %v", what, err)
	}
}

func (s *stand) freed(leases ...lock.Lease) {
	s.T.Helper()
	for _, l := range leases {
		if err := s.Release(l); err != nil {
			s.T.Error(err)
		}
	}
}

// TestReadersAndWriters: readers share, writers do not, and whoever can come in
// is told.
func TestReadersAndWriters(t *testing.T) {
	s := kindStand(t)
	one, other := s.rwLock(), s.rwLock()
	first, second := s.have(one.Reader()), s.have(other.Reader())
	s.refused("a writer beside two readers", one.Writer())
	write := s.acquiring(other.Writer())
	time.Sleep(busy)
	s.freed(first)
	s.refused("a writer beside a reader", one.Writer())
	s.freed(second)
	if err := <-write; err != nil {
		t.Error(err)
	}
	writer := s.have(one.Writer())
	s.refused("a reader beside a writer", other.Reader())
	s.refused("a second writer", other.Writer())
	readers := []<-chan error{s.acquiring(other.Reader()), s.acquiring(other.Reader()), s.acquiring(one.Reader())}
	time.Sleep(busy)
	s.freed(writer)
	for _, r := range readers {
		if err := <-r; err != nil {
			t.Error(err)
		}
	}
}

// TestDowngrade: who writes may read, and read on when it writes no more; who
// reads may not write.
func TestDowngrade(t *testing.T) {
	s := kindStand(t)
	one, other := s.rwLock(), s.rwLock()
	ctx := lock.WithOwner(t.Context(), "me")
	writer, err := one.Writer().Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := one.Reader().Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.refused("a reader beside a writer who reads", other.Reader())
	guest := s.acquiring(other.Reader())
	time.Sleep(busy)
	s.freed(writer)
	if err := <-guest; err != nil {
		t.Error(err)
	}
	if _, err := one.Writer().Acquire(ctx); !errors.Is(err, lock.ErrUpgrade) || !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("a reader who wants to write gets %v", err)
	}
	s.refused("a writer beside a reader who wrote", other.Writer())
	s.freed(reader)
	s.freed(s.have(other.Writer()))
}

// TestReadersRunOut: each holder's lease ends by itself, and says until when.
func TestReadersRunOut(t *testing.T) {
	s := kindStand(t)
	l := closeAtEnd(t, redislocks.NewReadWrite(s.Server.Client(t, nil), name, redislocks.Options{TTL: 10 * short}))
	long := s.have(l.Reader())
	brief, err := l.Reader().Acquire(lock.WithTTL(t.Context(), short))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * short)
	if err := s.Release(brief); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Release of a reader that has run out says %v", err)
	}
	s.refused("a writer beside the other reader", l.Writer())
	if err := long.(lock.Extender).Extend(t.Context(), short); err != nil {
		t.Error(err)
	}
	s.freed(s.have(l.Writer()))
}

// TestPermits: no more are inside than there are permits, all of them can be
// had at once, and the waiters are notified.
func TestPermits(t *testing.T) {
	for id, build := range map[string]func(*redis.Client) lock.Semaphore{
		"semaphore":        func(c *redis.Client) lock.Semaphore { return redislocks.NewSemaphore(c, name, 3, neverPolls()) },
		"permit-semaphore": func(c *redis.Client) lock.Semaphore { return redislocks.NewPermitSemaphore(c, name, 3, neverPolls()) },
	} {
		t.Run(id, func(t *testing.T) {
			s := kindStand(t)
			processes := []lock.Semaphore{build(s.Server.Client(t, nil)), build(s.Server.Client(t, nil))}
			for _, p := range processes {
				closeAtEnd(t, p.(interface{ Close() error }))
			}
			s.crowd(processes)
			for _, n := range []int{0, -1, 4} {
				if _, err := processes[0].AcquireN(t.Context(), n); !errors.Is(err, lock.ErrNotAcquired) {
					t.Errorf("AcquireN(%d) of 3 says %v", n, err)
				}
			}
			if n, err := processes[1].Available(t.Context()); err != nil || n != 3 {
				t.Errorf("when all are back %d of 3 are available, %v", n, err)
			}
		})
	}
}

// crowd has 48 goroutines take 1 to 3 of three permits.
func (s *stand) crowd(processes []lock.Semaphore) {
	var inside, most atomic.Int32
	var done sync.WaitGroup
	for i := range 48 {
		done.Go(func() {
			n := i%3 + 1
			ctx, cancel := context.WithTimeout(s.T.Context(), soon)
			defer cancel()
			lease, err := processes[i%2].AcquireN(ctx, n)
			if err != nil {
				s.T.Error(err)
				return
			}
			if now := inside.Add(int32(n)); now > 3 {
				s.T.Errorf("%d of 3 permits are taken", now)
			} else if now > most.Load() {
				most.Store(now)
			}
			time.Sleep(time.Millisecond)
			inside.Add(-int32(n))
			s.freed(lease)
		})
	}
	done.Wait()
	if most.Load() != 3 {
		s.T.Errorf("never more than %d of 3 permits were taken", most.Load())
	}
}

// TestPermitIDs: a permit can be given back by another process, once, and runs
// out otherwise.
func TestPermitIDs(t *testing.T) {
	s := kindStand(t)
	one := closeAtEnd(t, redislocks.NewPermitSemaphore(s.Server.Client(t, nil), name, 2, redislocks.Options{TTL: short}))
	other := closeAtEnd(t, redislocks.NewPermitSemaphore(s.Server.Client(t, nil), name, 2, neverPolls()))
	lease, err := other.AcquireN(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	s.refused("a third permit", one)
	id := lease.(lock.Identified).ID()
	if err := one.ReleaseID(t.Context(), id); err != nil {
		t.Error(err)
	}
	if err := one.ReleaseID(t.Context(), id); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("a second ReleaseID says %v", err)
	}
	if err := s.Release(lease); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Release after ReleaseID says %v", err)
	}
	if err := one.ReleaseID(t.Context(), "nonsense"); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("ReleaseID of nonsense says %v", err)
	}
	s.have(one)
	if _, err := other.AcquireN(t.Context(), 2); err != nil { // when the other has run out
		t.Error(err)
	}
}
