package redislocktest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// testLateRelease: a release after the lease has ended and another client has the lock reports that at once, and leaves
// the other lock alone.
func testLateRelease(s *Stand) error {
	late, err := s.Acquire(s.Locker(Short), Soon)
	if err != nil {
		return err
	}
	lease, err := s.Acquire(s.Locker(Lasting), s.overdue())
	if err != nil {
		return err
	}
	if err := s.Release(late); !errors.Is(err, lock.ErrNotHeld) {
		return fmt.Errorf("Release of a lease that has ended says %v", err) //nolint:errorlint // it may be nil
	}
	if err := s.Taken(); err != nil {
		return err
	}
	return s.Release(lease)
}

// testSecondRelease: a released lease is no longer held, and cannot take the lock from the next holder.
func testSecondRelease(s *Stand) error {
	first, err := s.Acquire(s.Locker(Lasting), Soon)
	if err != nil {
		return err
	}
	if err := s.Release(first); err != nil {
		return err
	}
	if err := s.Release(first); !errors.Is(err, lock.ErrNotHeld) {
		return fmt.Errorf("the second Release says %v", err) //nolint:errorlint // it may be nil
	}
	if _, err := s.Acquire(s.Locker(Lasting), Soon); err != nil {
		return err
	}
	if err := s.Release(first); !errors.Is(err, lock.ErrNotHeld) {
		return fmt.Errorf("the third Release, of what somebody else holds, says %v", err) //nolint:errorlint // it may be nil
	}
	return s.Taken()
}

// testCancellation: a waiter gives up soon after its context ends, and leaves nothing that blocks others.
func testCancellation(s *Stand) error {
	held, err := s.Acquire(s.Locker(Lasting), Soon)
	if err != nil {
		return err
	}
	waiting := s.Locker(Lasting)
	ctx, cancel := context.WithCancel(s.T.Context())
	answer := make(chan error, 1)
	go func() {
		_, err := waiting.Acquire(ctx)
		answer <- err
	}()
	time.Sleep(Busy)
	start := time.Now()
	cancel()
	select {
	case err = <-answer:
	case <-time.After(Soon):
		return fmt.Errorf("Acquire has not returned %v after its context ended", Soon)
	}
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("a cancelled Acquire says %v", err) //nolint:errorlint // it may be nil
	}
	if took := time.Since(start); took > Soon/2 {
		return fmt.Errorf("a cancelled Acquire took %v to return", took)
	}
	if err := s.Release(held); err != nil {
		return err
	}
	return s.Free()
}

// testReconnection: connections that break during a hold or a wait cost only time.
func testReconnection(s *Stand) error {
	held, err := s.Acquire(s.Locker(Lasting), Soon)
	if err != nil {
		return err
	}
	answer := make(chan error, 1)
	waiting := s.Locker(Lasting)
	go func() {
		_, err := s.Acquire(waiting, 2*Soon)
		answer <- err
	}()
	for range 3 {
		time.Sleep(Busy / 3)
		s.Server.Disconnect(s.T)
	}
	if err := s.Release(held); err != nil {
		return fmt.Errorf("Release after a reconnection says %w", err)
	}
	return <-answer
}

// testScriptFlush: a server that has forgotten its scripts gets them again.
func testScriptFlush(s *Stand) error {
	held, err := s.Acquire(s.Locker(Lasting), Soon)
	if err != nil {
		return err
	}
	if err := s.Server.Client(s.T, nil).ScriptFlush(s.T.Context()).Err(); err != nil {
		return err
	}
	if err := s.Release(held); err != nil {
		return fmt.Errorf("Release after SCRIPT FLUSH says %w", err)
	}
	return s.Free()
}

// testTTL: a lease requested with lock.WithTTL has that length, for that acquisition only.
func testTTL(s *Stand) error {
	l := s.Locker(Lasting)
	ctx, cancel := context.WithTimeout(lock.WithTTL(s.T.Context(), Short), Soon)
	defer cancel()
	if _, err := l.Acquire(ctx); err != nil {
		return err
	}
	if _, err := s.Acquire(l, s.overdue()); err != nil {
		return fmt.Errorf("with WithTTL(%v) the lease outlives it: %w", Short, err)
	}
	time.Sleep(2 * Short)
	return s.Taken()
}

// testTry: a try does not wait for others.
func testTry(s *Stand) error {
	try := s.Locker(Lasting).(lock.TryLocker)
	lease, err := try.TryAcquire(s.T.Context())
	if err != nil {
		return fmt.Errorf("TryAcquire of a free lock says %w", err)
	}
	start := time.Now()
	if _, err := s.Locker(Lasting).(lock.TryLocker).TryAcquire(s.T.Context()); !errors.Is(err, lock.ErrNotAcquired) {
		return fmt.Errorf("TryAcquire of a lock that is held says %v", err) //nolint:errorlint // it may be nil
	}
	if took := time.Since(start); took > Soon/2 {
		return fmt.Errorf("TryAcquire of a lock that is held took %v", took)
	}
	if err := s.Release(lease); err != nil {
		return err
	}
	return s.Free()
}

// testExtend: a lease that was extended lasts, and one that was released or has
// ended cannot be.
func testExtend(s *Stand) error {
	lease, err := s.Acquire(s.Locker(Short), Soon)
	if err != nil {
		return err
	}
	extend := lease.(lock.Extender)
	if err := extend.Extend(s.T.Context(), Lasting); err != nil {
		return fmt.Errorf("an Extend says %w", err)
	}
	time.Sleep(2 * Short)
	if err := s.Taken(); err != nil {
		return err
	}
	if err := s.Release(lease); err != nil {
		return err
	}
	if err := extend.Extend(s.T.Context(), Lasting); !errors.Is(err, lock.ErrNotHeld) {
		return fmt.Errorf("an Extend after Release says %v", err) //nolint:errorlint // it may be nil
	}
	return s.Free()
}

// testUntil: the end of the validity is after now, and no later than a lease
// from now.
func testUntil(s *Stand) error {
	before := time.Now()
	lease, err := s.Acquire(s.Locker(Lasting), Soon)
	if err != nil {
		return err
	}
	until := lease.(lock.Expirer).Until()
	if !until.After(before) || until.After(time.Now().Add(Lasting)) {
		return fmt.Errorf("a lease of %v from %v on claims to be valid until %v", Lasting, before, until)
	}
	return s.Release(lease)
}

// testRenewal: the lock is held for as long as its holder lives, and no longer
// than until the release.
func testRenewal(s *Stand) error {
	lease, err := s.Acquire(s.Locker(Short), Soon)
	if err != nil {
		return err
	}
	for range 4 {
		time.Sleep(Short)
		if err := s.Taken(); err != nil {
			return err
		}
	}
	if err := s.Release(lease); err != nil {
		return err
	}
	return s.Free()
}

// testLost: a holder learns that its lock is gone.
func testLost(s *Stand) error {
	lease, err := s.Acquire(s.Locker(Short), Soon)
	if err != nil {
		return err
	}
	lost := lease.(lock.Notifier).Lost()
	select {
	case <-lost:
		return errors.New("the lease is lost at once")
	default:
	}
	if err := s.Server.Client(s.T, nil).FlushAll(s.T.Context()).Err(); err != nil {
		return err
	}
	select {
	case <-lost:
	case <-time.After(Soon):
		return fmt.Errorf("%v after the lock was removed, the lease does not know", Soon)
	}
	return nil
}
