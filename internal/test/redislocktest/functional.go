package redislocktest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// The functional tests check the basic function of every lock, on a real Redis on which nothing fails but what they make
// fail. A test returns what was wrong, so that a lock which cannot pass it can be seen to fail it.
var functionalTests = []functionalTest{
	{name: "exclusion", run: testExclusion},
	{name: "expiry", run: testExpiry},
	{name: "late release", run: testLateRelease, needs: ends},
	{name: "second release", run: testSecondRelease},
	{name: "cancellation", run: testCancellation},
	{name: "reconnection", run: testReconnection},
	{name: "script flush", run: testScriptFlush},
	{name: "ttl", run: testTTL, needs: ends},
	{name: "try", run: testTry, needs: func(_ Lock, l lock.Locker, _ lock.Lease) bool {
		_, can := l.(lock.TryLocker)
		return can
	}},
	{name: "extend", run: testExtend, needs: func(_ Lock, _ lock.Locker, l lock.Lease) bool {
		_, can := l.(lock.Extender)
		return can
	}},
	{name: "until", run: testUntil, needs: func(_ Lock, _ lock.Locker, l lock.Lease) bool {
		_, can := l.(lock.Expirer)
		return can
	}},
	{name: "renewal", run: testRenewal, needs: lives},
	{name: "lost", run: testLost, needs: lives},
}

// ends and lives select leases that last for their TTL, and those that are renewed.
func ends(l Lock, _ lock.Locker, _ lock.Lease) bool  { return !l.Renews }
func lives(l Lock, _ lock.Locker, _ lock.Lease) bool { return l.Renews }

type functionalTest struct {
	name string
	// needs reports whether the test applies to what the lock can do; nil: always.
	needs func(Lock, lock.Locker, lock.Lease) bool
	run   func(*Stand) error
}

// Functional runs every functional test with every lock.
func Functional(t *testing.T, locks []Lock) {
	// Each lock has a Redis of its own, and mostly waits.
	places := make(chan struct{}, 8)
	var done sync.WaitGroup
	defer done.Wait()
	for _, l := range locks {
		done.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			t.Run(l.ID, func(t *testing.T) { l.test(t) })
		})
	}
}

// test runs every functional test with the lock.
func (l Lock) test(t *testing.T) {
	var primary *realredis.Server
	if realredis.Installed() {
		primary = realredis.Start(t)
		if l.Replica {
			realredis.Start(t, "--replicaof", "127.0.0.1", primary.Port)
		}
	}
	for _, test := range functionalTests {
		t.Run(test.name, func(t *testing.T) {
			realredis.Need(t)
			primary.Flush(t)
			s := &Stand{T: t, Server: primary, Lock: l, test: test.name}
			if test.needs != nil && !s.can(test.needs) {
				return // nothing to ask of this lock
			}
			s.judge(test.name, test.run(s))
		})
	}
	for _, test := range slices.Sorted(maps.Keys(l.Fails)) {
		if !slices.ContainsFunc(functionalTests, func(f functionalTest) bool { return f.name == test }) {
			t.Errorf("the lock cannot pass %q, which is no test", test)
		}
	}
}

// judge compares the result with what must, or may, be wrong.
func (s *Stand) judge(test string, err error) {
	must, may := s.Lock.Fails[test], s.Lock.MayFail[test]
	switch {
	case must == "" && may == "" && err != nil:
		s.T.Error(err)
	case must != "" && err == nil:
		s.T.Errorf("the lock has passed what it cannot: %s", must)
	case err != nil:
		s.T.Logf("as it should be or may be, because %s: %v", must+may, err)
	}
}

const (
	// Short is a lease whose end tests await.
	Short = 500 * time.Millisecond
	// Lasting is a lease that outlives any test, on a busy machine too.
	Lasting = time.Minute
	// Soon is the time limit of what should happen at once.
	Soon = 20 * time.Second
	// Busy is how long a test waits for what should not happen.
	Busy = 100 * time.Millisecond
)

// Stand is the test bench of a lock.
type Stand struct {
	T      *testing.T
	Server *realredis.Server
	Lock   Lock
	test   string
}

// overdue returns how long to wait for a short lease to end: only briefly if it cannot.
func (s *Stand) overdue() time.Duration {
	if s.Lock.Fails[s.test] != "" {
		return 2 * Short
	}
	return 20 * Short
}

// Locker returns a locker of another client process.
func (s *Stand) Locker(ttl time.Duration) lock.Locker {
	return s.Process(redislocks.Options{TTL: ttl, MinSleep: 2 * time.Millisecond, RandomSleep: 2 * time.Millisecond})
}

// Process returns the locker of another client process.
func (s *Stand) Process(o redislocks.Options) lock.Locker {
	l := s.Lock.Make(s.Server.Client(s.T, nil), o)
	if c, ok := l.(io.Closer); ok {
		s.T.Cleanup(func() { _ = c.Close() })
	}
	return l
}

// can acquires once, to see whether the lock has a capability.
func (s *Stand) can(what func(Lock, lock.Locker, lock.Lease) bool) bool {
	l := s.Locker(Lasting)
	lease, err := s.Acquire(l, Soon)
	if err != nil {
		return true // the test fails then
	}
	defer s.Server.Flush(s.T)
	return what(s.Lock, l, lease)
}

// Acquire waits no longer than patience. On a busy machine a short lease may have expired when the answer arrives: then it
// tries again.
func (s *Stand) Acquire(l lock.Locker, patience time.Duration) (lock.Lease, error) {
	ctx, cancel := context.WithTimeout(s.T.Context(), patience)
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

// Release releases the lease, within a second.
func (s *Stand) Release(l lock.Lease) error {
	ctx, cancel := context.WithTimeout(s.T.Context(), time.Second)
	defer cancel()
	return l.Release(ctx)
}

// Taken returns an error if another process can have the lock now.
func (s *Stand) Taken() error {
	if _, err := s.Acquire(s.Locker(Lasting), Busy); err == nil {
		return errors.New("somebody else has acquired what is held")
	}
	return nil
}

// Free returns an error if another process cannot have the lock soon.
func (s *Stand) Free() error {
	lease, err := s.Acquire(s.Locker(Lasting), Soon)
	if err != nil {
		return fmt.Errorf("nobody else can have what is free: %w", err)
	}
	return s.Release(lease)
}

// testExclusion: of 64 goroutines in four processes one at a time is inside.
func testExclusion(s *Stand) error {
	const processes, rounds = 4, 3
	threads := 16
	if testing.Short() {
		threads = 4 // locks that poll cost the square of it
	}
	var inside, entered atomic.Int32
	var failures sync.Map
	var done sync.WaitGroup
	for range processes {
		l := s.Locker(Lasting)
		for range threads {
			done.Go(func() {
				for range rounds {
					lease, err := s.Acquire(l, 2*Soon)
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
					if err := s.Release(lease); err != nil {
						failures.Store("Release says "+err.Error(), true)
					}
				}
			})
		}
	}
	done.Wait()
	var err error
	// unordered: for people, and only if something is wrong
	failures.Range(func(what, _ any) bool {
		err = errors.Join(err, errors.New(what.(string)))
		return true
	})
	if n := int(entered.Load()); err == nil && n != processes*threads*rounds {
		err = fmt.Errorf("%d critical sections, want %d", n, processes*threads*rounds)
	}
	return err
}

// testExpiry: a holder that is not heard of again loses the lock with its lease, and not before.
func testExpiry(s *Stand) error {
	if s.Lock.Renews {
		return s.dies()
	}
	start := time.Now()
	if _, err := s.Acquire(s.Locker(Short), Soon); err != nil {
		return err
	}
	lease, err := s.Acquire(s.Locker(Lasting), s.overdue())
	if err != nil {
		return err
	}
	if after := time.Since(start); after < Short {
		return fmt.Errorf("the lock was free after %v, before the lease of %v ended", after, Short)
	}
	return s.Release(lease)
}

// dies is testExpiry for a lock that is renewed: its client is closed.
func (s *Stand) dies() error {
	client := s.Server.Client(s.T, nil)
	if _, err := s.Acquire(s.Lock.Make(client, redislocks.Options{TTL: Short}), Soon); err != nil {
		return err
	}
	if err := s.Taken(); err != nil {
		return err
	}
	_ = client.Close()
	return s.Free()
}
