package redislocks_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/redislocktest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// woken are the locks whose waiters are notified of a release.
var woken = []string{"reentrant", "watchdog", "fair", "readwrite, writer", "semaphore", "permit-semaphore"}

// neverPolls are options by which a waiter learns of a release by a message, or
// not within a test.
func neverPolls() redislocks.Options {
	return redislocks.Options{TTL: 10 * time.Minute, MinSleep: time.Hour, RandomSleep: time.Nanosecond}
}

// everyWoken runs a test with the lockers of two processes, of every lock
// whose waiters are notified.
func everyWoken(t *testing.T, o redislocks.Options, test func(s *stand, one, other lock.Locker)) {
	server := realredis.Start(t)
	for _, l := range redissonLocks {
		for _, id := range woken {
			if id != l.ID {
				continue
			}
			t.Run(id, func(t *testing.T) {
				server.Flush(t)
				s := newStand(t, server, l)
				test(s, s.Process(o), s.Process(o))
			})
		}
	}
}

// acquiring acquires in a goroutine of its own, and answers how long it took.
func (s *stand) acquiring(l lock.Locker) <-chan error {
	answer := make(chan error, 1)
	go func() {
		lease, err := s.Acquire(l, soon)
		if err == nil {
			err = s.Release(lease)
		}
		answer <- err
	}()
	return answer
}

// TestWakeup: a release is announced to those who wait, also in the own process,
// minutes before the lease ends or anybody would ask again.
func TestWakeup(t *testing.T) {
	everyWoken(t, neverPolls(), func(s *stand, one, other lock.Locker) {
		held, err := s.Acquire(one, soon)
		if err != nil {
			s.T.Fatal(err)
		}
		answers := []<-chan error{s.acquiring(other), s.acquiring(other), s.acquiring(one)}
		time.Sleep(3 * busy)
		if err := s.Release(held); err != nil {
			s.T.Error(err)
		}
		for _, answer := range answers {
			if err := <-answer; err != nil {
				s.T.Error(err)
			}
		}
	})
}

// TestWakeupAfterReconnection: a release that is announced while the subscription is
// broken is noticed when it stands again.
func TestWakeupAfterReconnection(t *testing.T) {
	o := neverPolls()
	o.MinSleep = 50 * time.Millisecond // a pause between tries to subscribe
	everyWoken(t, o, func(s *stand, one, other lock.Locker) {
		held, err := s.Acquire(one, soon)
		if err != nil {
			s.T.Fatal(err)
		}
		answer := s.acquiring(other)
		time.Sleep(2 * busy)
		for range 3 {
			s.Server.Disconnect(s.T)
			time.Sleep(busy / 10)
		}
		if err := s.Release(held); err != nil {
			s.T.Error(err)
		}
		if err := <-answer; err != nil {
			s.T.Error(err)
		}
	})
}

// TestFairOrder: waiters get the lock in the order in which they came, across
// processes.
func TestFairOrder(t *testing.T) {
	server := realredis.Start(t)
	s := newStand(t, server, redislocktest.Lock{})
	var processes []*redislocks.Fair
	for range 3 {
		l := redislocks.NewFair(server.Client(t, nil), name, redislocks.FairOptions{Options: neverPolls()})
		t.Cleanup(func() { _ = l.Close() })
		processes = append(processes, l)
	}
	admin := server.Client(t, nil)
	held, err := s.Acquire(processes[0], soon)
	if err != nil {
		t.Fatal(err)
	}
	const waiters = 9
	order, failed := make(chan int, waiters), make(chan error, waiters)
	for i := range waiters {
		go func() {
			lease, err := s.Acquire(processes[i%3], soon)
			if err == nil {
				order <- i
				err = s.Release(lease)
			}
			failed <- err
		}()
		queued(t, admin, i+1)
	}
	if err := s.Release(held); err != nil {
		t.Error(err)
	}
	for i := range waiters {
		if err := <-failed; err != nil {
			t.Error(err)
		} else if got := <-order; got != i {
			t.Errorf("waiter %d got the lock as number %d", got, i)
		}
	}
}

// queued waits until so many wait.
func queued(t *testing.T, client *redis.Client, n int) {
	t.Helper()
	for range 1000 {
		if got, err := client.LLen(t.Context(), "{"+name+"}:queue").Result(); err != nil {
			t.Fatal(err)
		} else if int(got) == n {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("there are never %d in the queue", n)
}

// TestFairPatience: a waiter that has died first in the queue is passed over,
// one that was cancelled leaves it at once.
func TestFairPatience(t *testing.T) {
	server := realredis.Start(t)
	s := newStand(t, server, redislocktest.Lock{})
	make := func(client *redis.Client) *redislocks.Fair {
		l := redislocks.NewFair(client, name, redislocks.FairOptions{Options: neverPolls(), Patience: time.Second})
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	admin, dying := server.Client(t, nil), server.Client(t, nil)
	held, err := s.Acquire(make(admin), soon)
	if err != nil {
		t.Fatal(err)
	}
	dead := s.acquiring(make(dying))
	queued(t, admin, 1)
	if _, err := s.Acquire(make(admin), busy); err == nil {
		t.Error("two hold the lock")
	}
	queued(t, admin, 1) // the one that gave up has left
	alive := s.acquiring(make(admin))
	queued(t, admin, 2)
	_ = dying.Close()
	if err := s.Release(held); err != nil {
		t.Error(err)
	}
	if err := <-alive; err != nil {
		t.Error(err)
	}
	if err := <-dead; err == nil {
		t.Error("the dead one got the lock")
	}
}

// TestReentry: an owner takes the lock again, and frees it with the last
// release; others, and other owners of the same process, wait.
func TestReentry(t *testing.T) {
	server := realredis.Start(t)
	for _, l := range redissonLocks {
		if l.ID != "reentrant" && l.ID != "watchdog" && l.ID != "fair" && l.ID != "readwrite, writer" {
			continue
		}
		t.Run(l.ID, func(t *testing.T) {
			server.Flush(t)
			s := newStand(t, server, l)
			if err := s.reentry(); err != nil {
				t.Error(err)
			}
		})
	}
}

func (s *stand) reentry() error {
	own := s.Locker(lasting)
	ctx := lock.WithOwner(s.T.Context(), "me")
	var leases []lock.Lease
	for range 3 {
		lease, err := own.Acquire(ctx)
		if err != nil {
			return err
		}
		leases = append(leases, lease)
	}
	for i, lease := range leases {
		if _, err := s.Acquire(own, busy); err == nil {
			return errors.New("another owner of the process has acquired what is held")
		}
		if err := s.Taken(); err != nil {
			return fmt.Errorf("after %d of 3 releases %w", i, err)
		}
		if err := s.Release(lease); err != nil {
			return err
		}
		if err := s.Release(lease); !errors.Is(err, lock.ErrNotHeld) {
			return fmt.Errorf("the second Release of one acquisition says %v", err) //nolint:errorlint // it may be nil
		}
	}
	return s.Free()
}
