package redislocks_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// testLateRelease: a release that comes when the lease has ended and somebody
// else holds the lock says so at once, and leaves that one alone.
func testLateRelease(s *stand) error {
	late, err := s.acquire(s.locker(short), soon)
	if err != nil {
		return err
	}
	lease, err := s.acquire(s.locker(lasting), s.overdue())
	if err != nil {
		return err
	}
	if err := s.release(late); !errors.Is(err, lock.ErrNotHeld) {
		return fmt.Errorf("Release of a lease that has ended says %v", err) //nolint:errorlint // it may be nil
	}
	if err := s.taken(); err != nil {
		return err
	}
	return s.release(lease)
}

// testSecondRelease: a lease that was released is not held any more, and cannot
// take the lock from the next.
func testSecondRelease(s *stand) error {
	first, err := s.acquire(s.locker(lasting), soon)
	if err != nil {
		return err
	}
	if err := s.release(first); err != nil {
		return err
	}
	if err := s.release(first); !errors.Is(err, lock.ErrNotHeld) {
		return fmt.Errorf("the second Release says %v", err) //nolint:errorlint // it may be nil
	}
	if _, err := s.acquire(s.locker(lasting), soon); err != nil {
		return err
	}
	if err := s.release(first); !errors.Is(err, lock.ErrNotHeld) {
		return fmt.Errorf("the third Release, of what somebody else holds, says %v", err) //nolint:errorlint // it may be nil
	}
	return s.taken()
}

// testCancellation: who waits gives up soon after his context ends, and leaves
// nothing that is in the way of others.
func testCancellation(s *stand) error {
	held, err := s.acquire(s.locker(lasting), soon)
	if err != nil {
		return err
	}
	waiting := s.locker(lasting)
	ctx, cancel := context.WithCancel(s.t.Context())
	answer := make(chan error, 1)
	go func() {
		_, err := waiting.Acquire(ctx)
		answer <- err
	}()
	time.Sleep(busy)
	start := time.Now()
	cancel()
	select {
	case err = <-answer:
	case <-time.After(soon):
		return fmt.Errorf("Acquire has not returned %v after its context ended", soon)
	}
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("a cancelled Acquire says %v", err) //nolint:errorlint // it may be nil
	}
	if took := time.Since(start); took > soon/2 {
		return fmt.Errorf("a cancelled Acquire took %v to return", took)
	}
	if err := s.release(held); err != nil {
		return err
	}
	return s.free()
}

// testReconnection: connections that break while the lock is held and waited
// for cost nothing but time.
func testReconnection(s *stand) error {
	held, err := s.acquire(s.locker(lasting), soon)
	if err != nil {
		return err
	}
	answer := make(chan error, 1)
	waiting := s.locker(lasting)
	go func() {
		_, err := s.acquire(waiting, 2*soon)
		answer <- err
	}()
	for range 3 {
		time.Sleep(busy / 3)
		s.server.Disconnect(s.t)
	}
	if err := s.release(held); err != nil {
		return fmt.Errorf("Release after a reconnection says %w", err)
	}
	return <-answer
}

// testScriptFlush: a server that has forgotten its scripts is told them again.
func testScriptFlush(s *stand) error {
	held, err := s.acquire(s.locker(lasting), soon)
	if err != nil {
		return err
	}
	if err := s.server.Client(s.t, nil).ScriptFlush(s.t.Context()).Err(); err != nil {
		return err
	}
	if err := s.release(held); err != nil {
		return fmt.Errorf("Release after SCRIPT FLUSH says %w", err)
	}
	return s.free()
}

// testTTL: a lease that was asked for with lock.WithTTL is as long, for that
// acquisition only.
func testTTL(s *stand) error {
	l := s.locker(lasting)
	ctx, cancel := context.WithTimeout(lock.WithTTL(s.t.Context(), short), soon)
	defer cancel()
	if _, err := l.Acquire(ctx); err != nil {
		return err
	}
	if _, err := s.acquire(l, s.overdue()); err != nil {
		return fmt.Errorf("with WithTTL(%v) the lease outlives it: %w", short, err)
	}
	time.Sleep(2 * short)
	return s.taken()
}

// testTry: a try waits for nobody.
func testTry(s *stand) error {
	try := s.locker(lasting).(lock.TryLocker)
	lease, err := try.TryAcquire(s.t.Context())
	if err != nil {
		return fmt.Errorf("TryAcquire of a free lock says %w", err)
	}
	start := time.Now()
	if _, err := s.locker(lasting).(lock.TryLocker).TryAcquire(s.t.Context()); !errors.Is(err, lock.ErrNotAcquired) {
		return fmt.Errorf("TryAcquire of a lock that is held says %v", err) //nolint:errorlint // it may be nil
	}
	if took := time.Since(start); took > soon/2 {
		return fmt.Errorf("TryAcquire of a lock that is held took %v", took)
	}
	if err := s.release(lease); err != nil {
		return err
	}
	return s.free()
}

// testExtend: a lease that was extended lasts, and one that was released or has
// ended cannot be.
func testExtend(s *stand) error {
	lease, err := s.acquire(s.locker(short), soon)
	if err != nil {
		return err
	}
	extend := lease.(lock.Extender)
	if err := extend.Extend(s.t.Context(), lasting); err != nil {
		return fmt.Errorf("Extend says %w", err)
	}
	time.Sleep(2 * short)
	if err := s.taken(); err != nil {
		return err
	}
	if err := s.release(lease); err != nil {
		return err
	}
	if err := extend.Extend(s.t.Context(), lasting); !errors.Is(err, lock.ErrNotHeld) {
		return fmt.Errorf("Extend after Release says %v", err) //nolint:errorlint // it may be nil
	}
	return s.free()
}

// testUntil: the end of the validity is after now, and no later than a lease
// from now.
func testUntil(s *stand) error {
	before := time.Now()
	lease, err := s.acquire(s.locker(lasting), soon)
	if err != nil {
		return err
	}
	until := lease.(lock.Expirer).Until()
	if !until.After(before) || until.After(time.Now().Add(lasting)) {
		return fmt.Errorf("a lease of %v from %v on claims to be valid until %v", lasting, before, until)
	}
	return s.release(lease)
}

// testRenewal: the lock is held for as long as its holder lives, and no longer
// than until the release.
func testRenewal(s *stand) error {
	lease, err := s.acquire(s.locker(short), soon)
	if err != nil {
		return err
	}
	for range 4 {
		time.Sleep(short)
		if err := s.taken(); err != nil {
			return err
		}
	}
	if err := s.release(lease); err != nil {
		return err
	}
	return s.free()
}

// testLost: a holder whose lock is gone is told.
func testLost(s *stand) error {
	lease, err := s.acquire(s.locker(short), soon)
	if err != nil {
		return err
	}
	lost := lease.(lock.Notifier).Lost()
	select {
	case <-lost:
		return errors.New("the lease is lost at once")
	default:
	}
	if err := s.server.Client(s.t, nil).FlushAll(s.t.Context()).Err(); err != nil {
		return err
	}
	select {
	case <-lost:
	case <-time.After(soon):
		return fmt.Errorf("%v after the lock was removed, the lease does not know", soon)
	}
	return nil
}
