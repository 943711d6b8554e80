package redislocks_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realredis"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// The functional tests ask of every lock, on a real Redis on which nothing
// fails but what they make fail, what a lock is there for. A test answers what
// was wrong, so that a lock which cannot pass it can be seen to fail it.
var functionalTests = []functionalTest{
	{name: "exclusion", run: testExclusion},
	{name: "expiry", run: testExpiry},
	{name: "late release", run: testLateRelease, needs: ends},
	{name: "second release", run: testSecondRelease},
	{name: "cancellation", run: testCancellation},
	{name: "reconnection", run: testReconnection},
	{name: "script flush", run: testScriptFlush},
	{name: "ttl", run: testTTL, needs: ends},
	{name: "try", run: testTry, needs: func(_ functionalLock, l lock.Locker, _ lock.Lease) bool {
		_, can := l.(lock.TryLocker)
		return can
	}},
	{name: "extend", run: testExtend, needs: func(_ functionalLock, _ lock.Locker, l lock.Lease) bool {
		_, can := l.(lock.Extender)
		return can
	}},
	{name: "until", run: testUntil, needs: func(_ functionalLock, _ lock.Locker, l lock.Lease) bool {
		_, can := l.(lock.Expirer)
		return can
	}},
	{name: "renewal", run: testRenewal, needs: lives},
	{name: "lost", run: testLost, needs: lives},
}

// ends and lives: leases that last for their TTL, and such as are renewed.
func ends(l functionalLock, _ lock.Locker, _ lock.Lease) bool  { return !l.renews }
func lives(l functionalLock, _ lock.Locker, _ lock.Lease) bool { return l.renews }

type functionalTest struct {
	name string
	// needs says whether the test is about what the lock can do; nil: always.
	needs func(functionalLock, lock.Locker, lock.Lease) bool
	run   func(*stand) error
}

// TestFunctional runs every functional test with every lock.
func TestFunctional(t *testing.T) {
	// Each lock has a Redis of its own, and most of its time it waits.
	places := make(chan struct{}, 8)
	var done sync.WaitGroup
	defer done.Wait()
	for _, l := range slices.Concat(functionalLocks, redissonLocks) {
		done.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			t.Run(l.id, func(t *testing.T) { l.test(t) })
		})
	}
}

// test runs every functional test with the lock.
func (l functionalLock) test(t *testing.T) {
	var primary *realredis.Server
	if realredis.Installed() {
		primary = realredis.Start(t)
		if l.replica {
			realredis.Start(t, "--replicaof", "127.0.0.1", primary.Port)
		}
	}
	for _, test := range functionalTests {
		t.Run(test.name, func(t *testing.T) {
			realredis.Need(t)
			primary.Flush(t)
			s := &stand{t: t, server: primary, lock: l, test: test.name}
			if test.needs != nil && !s.can(test.needs) {
				return // nothing to ask of this lock
			}
			s.judge(test.name, test.run(s))
		})
	}
	for test := range maps.Keys(l.fails) {
		if !slices.ContainsFunc(functionalTests, func(f functionalTest) bool { return f.name == test }) {
			t.Errorf("the lock cannot pass %q, which is no test", test)
		}
	}
}

// judge compares what was wrong with whether something has to be, or may.
func (s *stand) judge(test string, err error) {
	must, may := s.lock.fails[test], s.lock.mayFail[test]
	switch {
	case must == "" && may == "" && err != nil:
		s.t.Error(err)
	case must != "" && err == nil:
		s.t.Errorf("the lock has passed what it cannot: %s", must)
	case err != nil:
		s.t.Logf("as it should be or may be, because %s: %v", must+may, err)
	}
}

const (
	// short is a lease to wait for the end of; lasting one that outlives any
	// test, on a busy machine too.
	short, lasting = 500 * time.Millisecond, time.Minute
	// soon is how long anything may take that takes no time.
	soon = 20 * time.Second
	// busy is how long nothing may come of a thing that should not.
	busy = 100 * time.Millisecond
)

// stand is where a lock stands its test.
type stand struct {
	t      *testing.T
	server *realredis.Server
	lock   functionalLock
	test   string
}

// overdue is how long a lease that is short may be waited for to end: not for
// long if it cannot.
func (s *stand) overdue() time.Duration {
	if s.lock.fails[s.test] != "" {
		return 2 * short
	}
	return 20 * short
}

// locker is that of another client process.
func (s *stand) locker(ttl time.Duration) lock.Locker {
	return s.process(redislocks.Options{TTL: ttl, MinSleep: 2 * time.Millisecond, RandomSleep: 2 * time.Millisecond})
}

// can acquires once, to see what the lock can do.
func (s *stand) can(what func(functionalLock, lock.Locker, lock.Lease) bool) bool {
	l := s.locker(lasting)
	lease, err := s.acquire(l, soon)
	if err != nil {
		return true // the test will tell
	}
	defer s.server.Flush(s.t)
	return what(s.lock, l, lease)
}

// acquire waits no longer than patience. On a busy machine a short lease may have
// run out when the answer comes: then it asks again.
func (s *stand) acquire(l lock.Locker, patience time.Duration) (lock.Lease, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	lease, err := l.Acquire(ctx)
	for errors.Is(err, lock.ErrNotAcquired) && ctx.Err() == nil {
		lease, err = l.Acquire(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("Acquire says within %v: %w", patience, err)
	}
	return lease, nil
}

func (s *stand) release(l lock.Lease) error {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
	defer cancel()
	return l.Release(ctx)
}

// taken says what is wrong if somebody else can have the lock now.
func (s *stand) taken() error {
	if _, err := s.acquire(s.locker(lasting), busy); err == nil {
		return errors.New("somebody else has acquired what is held")
	}
	return nil
}

// free says what is wrong if somebody else cannot have the lock soon.
func (s *stand) free() error {
	lease, err := s.acquire(s.locker(lasting), soon)
	if err != nil {
		return fmt.Errorf("nobody else can have what is free: %w", err)
	}
	return s.release(lease)
}

// testExclusion: of 64 goroutines in four processes one at a time is inside.
func testExclusion(s *stand) error {
	const processes, threads, rounds = 4, 16, 3
	var inside, entered atomic.Int32
	var failures sync.Map
	var done sync.WaitGroup
	for range processes {
		l := s.locker(lasting)
		for range threads {
			done.Go(func() {
				for range rounds {
					lease, err := s.acquire(l, 2*soon)
					if err != nil {
						failures.Store(err.Error(), true)
						return
					}
					if inside.Add(1) != 1 {
						failures.Store("two were inside at once", true)
					}
					entered.Add(1)
					time.Sleep(50 * time.Microsecond)
					inside.Add(-1)
					if err := s.release(lease); err != nil {
						failures.Store("Release says "+err.Error(), true)
					}
				}
			})
		}
	}
	done.Wait()
	var err error
	failures.Range(func(what, _ any) bool {
		err = errors.Join(err, errors.New(what.(string)))
		return true
	})
	if n := entered.Load(); err == nil && n != processes*threads*rounds {
		err = fmt.Errorf("%d critical sections, want %d", n, processes*threads*rounds)
	}
	return err
}

// testExpiry: who holds the lock and is not heard of again loses it with its
// lease, and not before.
func testExpiry(s *stand) error {
	if s.lock.renews {
		return s.dies()
	}
	start := time.Now()
	if _, err := s.acquire(s.locker(short), soon); err != nil {
		return err
	}
	lease, err := s.acquire(s.locker(lasting), s.overdue())
	if err != nil {
		return err
	}
	if after := time.Since(start); after < short {
		return fmt.Errorf("the lock was free after %v, before the lease of %v ended", after, short)
	}
	return s.release(lease)
}

// dies is testExpiry for a lock that is renewed: its client is closed.
func (s *stand) dies() error {
	client := s.server.Client(s.t, nil)
	if _, err := s.acquire(s.lock.make(client, redislocks.Options{TTL: short}), soon); err != nil {
		return err
	}
	if err := s.taken(); err != nil {
		return err
	}
	_ = client.Close()
	return s.free()
}
