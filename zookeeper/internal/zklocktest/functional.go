package zklocktest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper/realzk"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks"
)

const (
	// Short is a session to wait for the end of.
	Short = 1200 * time.Millisecond
	// Lasting is a session that outlives a busy machine's delays.
	Lasting = 4 * time.Second
	// Soon is the time limit of what should happen at once.
	Soon = 20 * time.Second
	// Busy is how long a test waits for what should not happen.
	Busy = 200 * time.Millisecond
)

// A Constructor makes a locker for a directory.
type Constructor func(*zklocks.Session, string) lock.Locker

// Lock is a lock that goes through the functional tests.
type Lock struct {
	ID   string
	Make Constructor
	// WatchesDirectory is set if waiters watch all nodes, by a second listing.
	WatchesDirectory bool
	// Library is set for the lock of the client library. It does not read its own node, and a call that is
	// given up goes on until it has the lock. It is not asked what becomes of lost answers and of sessions
	// that end.
	Library bool
}

// Test is a test that is not for every lock.
type Test struct {
	Name string
	Run  func(*Stand)
}

// Functional asks of the locks, on a real ZooKeeper, what a lock is there for, and runs the other tests.
func Functional(t *testing.T, locks []Lock, others ...Test) {
	addr := realzk.Start(t, 200*time.Millisecond).Addr
	// Most of its time a test waits.
	places := make(chan struct{}, 8)
	var done sync.WaitGroup
	defer done.Wait()
	one := func(name string, test func(*Stand)) {
		done.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			t.Run(name, func(t *testing.T) { test(NewStand(t, addr)) })
		})
	}
	for _, test := range ofAll {
		for _, l := range locks {
			one(test.name+"/"+l.ID, func(s *Stand) { test.run(s, l) })
		}
	}
	for _, test := range ofSound {
		for _, l := range locks {
			if !l.Library {
				one(test.name+"/"+l.ID, func(s *Stand) { test.run(s, l.Make) })
			}
		}
	}
	for _, test := range others {
		one(test.Name, test.Run)
	}
}

// every is a test that does not depend on more than the lock's constructor.
func every(test func(*Stand, Constructor)) func(*Stand, Lock) {
	return func(s *Stand, l Lock) { test(s, l.Make) }
}

var ofAll = []struct {
	name string
	run  func(*Stand, Lock)
}{
	{"exclusion", every(testExclusion)}, {"hand-over", every(testHandOver)}, {"second release", every(testSecondRelease)},
	{"waiter dies", every(testWaiterDies)}, {"cancellation", testCancellation}, {"gone before the watch", testGoneBeforeWatch},
}

// ofSound are tests that the client library's lock does not pass.
var ofSound = []struct {
	name string
	run  func(*Stand, Constructor)
}{
	{"cancelled creation", testCancelledCreation}, {"lost creation", testLostCreation}, {"lost deletion", testLostDeletion},
	{"expiry", testExpiry}, {"expiry of a waiter", testWaiterExpires}, {"reconnection of a waiter", testWaiterReconnects},
	{"release in the next session", testReleaseInNextSession}, {"close", testClose},
}

// testExclusion: of several goroutines in several processes one at a time is inside.
func testExclusion(s *Stand, make Constructor) {
	const processes, threads, rounds = 3, 3, 3
	var inside, entered atomic.Int32
	var done sync.WaitGroup
	for range processes {
		l := make(s.Client(Lasting).Session, s.Dir)
		for range threads {
			done.Go(func() {
				for range rounds {
					ctx, cancel := context.WithTimeout(s.Context(), 2*Soon)
					lease, err := l.Acquire(ctx)
					cancel()
					if err != nil {
						s.Errorf("Acquire says %v", err)
						return
					}
					if inside.Add(1) != 1 {
						s.Error("two were inside at once")
					}
					entered.Add(1)
					time.Sleep(50 * time.Microsecond)
					inside.Add(-1)
					s.Release(lease)
				}
			})
		}
	}
	done.Wait()
	if n := entered.Load(); n != processes*threads*rounds {
		s.Errorf("%d critical sections, want %d", n, processes*threads*rounds)
	}
	s.Nodes(0)
}

// testHandOver: waiters get the lock in the order in which they came, one after another.
func testHandOver(s *Stand, make Constructor) {
	held := s.Acquire(make(s.Client(Lasting).Session, s.Dir))
	second := s.Begin(make(s.Client(Lasting).Session, s.Dir), 2)
	third := s.Begin(make(s.Client(Lasting).Session, s.Dir), 3)
	second.Waits()
	s.Release(held)
	held = second.Held()
	third.Waits()
	s.Release(held)
	s.Release(third.Held())
	s.Nodes(0)
}

func testSecondRelease(s *Stand, make Constructor) {
	c := s.Client(Lasting)
	held := s.Acquire(make(c.Session, s.Dir))
	s.Release(held)
	other := s.Acquire(make(s.Client(Lasting).Session, s.Dir))
	if err := s.Released(held); !errors.Is(err, lock.ErrNotHeld) {
		s.Errorf("the second Release says %v", err)
	}
	s.Nodes(1)
	s.Release(other)
}

// testWaiterDies: who waits behind a waiter that is gone goes on waiting.
func testWaiterDies(s *Stand, make Constructor) {
	held := s.Acquire(make(s.Client(Lasting).Session, s.Dir))
	dead := s.Client(Lasting)
	s.Begin(make(dead.Session, s.Dir), 2)
	waiter := s.Begin(make(s.Client(Lasting).Session, s.Dir), 3)
	dead.Conn().Close()
	s.Nodes(2)
	waiter.Waits()
	s.Release(held)
	s.Release(waiter.Held())
}

// testCancellation: who gives up returns at once, and leaves nothing.
func testCancellation(s *Stand, of Lock) {
	held := s.Acquire(of.Make(s.Client(Lasting).Session, s.Dir))
	l := of.Make(s.Client(Lasting).Session, s.Dir)
	waiter := s.Begin(l, 2)
	waiter.Cancel()
	if r := <-waiter.Result; !errors.Is(r.Err, context.Canceled) {
		s.Fatalf("Acquire says %v", r.Err)
	}
	if of.Library {
		s.Release(held) // its call of Lock goes on until it has the lock
		s.Nodes(0)
		return
	}
	s.Nodes(1)
	s.Release(held)
	s.Release(s.Acquire(l))
}

// testGoneBeforeWatch: a node that is deleted after it was listed, and before it is
// watched, is not waited for.
func testGoneBeforeWatch(s *Stand, of Lock) {
	held := s.Acquire(of.Make(s.Client(Lasting).Session, s.Dir))
	c := s.Client(Lasting)
	l := of.Make(c.Session, s.Dir)
	release := func(send func()) {
		s.Release(held)
		send()
	}
	switch {
	case of.WatchesDirectory:
		c.Link.On(OpGetChildren, func(send func()) {
			send() // the listing without a watch
			c.Link.On(OpGetChildren, release)
		})
	case of.Library:
		c.Link.On(OpGetData, release)
	default:
		c.Link.On(OpGetData, func(send func()) {
			send() // of its own node
			c.Link.On(OpGetData, release)
		})
	}
	s.Release(s.Start(l).Held())
}

// testCancelledCreation: a node whose creation was under way when the caller gave up is
// removed.
func testCancelledCreation(s *Stand, make Constructor) {
	s.Release(s.Acquire(make(s.Client(Lasting).Session, s.Dir))) // for the directory
	c := s.Client(Lasting)
	l := make(c.Session, s.Dir)
	ctx, cancel := context.WithCancel(s.Context())
	returned, sent := signal(), signal()
	c.Link.On(OpCreate, func(send func()) {
		cancel()
		<-returned
		send()
		close(sent)
	})
	if _, err := l.Acquire(ctx); !errors.Is(err, context.Canceled) {
		s.Errorf("Acquire says %v", err)
	}
	close(returned)
	<-sent
	s.Nodes(0)
	s.Release(s.Acquire(l))
}

func signal() chan struct{} { return make(chan struct{}) }

// testLostCreation: a node whose creation was not answered is found.
func testLostCreation(s *Stand, make Constructor) {
	s.Release(s.Acquire(make(s.Client(Lasting).Session, s.Dir)))
	c := s.Client(Lasting)
	l := make(c.Session, s.Dir)
	c.Link.On(OpCreate, c.Link.Lose)
	held := s.Acquire(l)
	if n := c.Link.Sent(OpCreate); n != 1 {
		s.Errorf("%d nodes were created", n)
	}
	s.Nodes(1)
	s.Release(held)
	s.Nodes(0)
}

// testLostDeletion: a release that was not answered is made again, and has released.
func testLostDeletion(s *Stand, make Constructor) {
	c := s.Client(Lasting)
	held := s.Acquire(make(c.Session, s.Dir))
	c.Link.On(OpDelete, c.Link.Lose)
	s.Release(held)
	s.Nodes(0)
	if n := c.Link.Sent(OpDelete); n != 2 {
		s.Errorf("%d deletions were sent", n)
	}
}

// testExpiry: who is cut off knows that it has lost the lock before another has it.
func testExpiry(s *Stand, make Constructor) {
	c := s.Client(Short)
	held := s.Acquire(make(c.Session, s.Dir))
	waiter := s.Begin(make(s.Client(Lasting).Session, s.Dir), 2)
	c.Link.Set(true)
	other := waiter.Held()
	select {
	case <-held.(lock.Notifier).Lost():
	default:
		s.Error("the lock was granted again before Lost was closed")
	}
	if timed, ok := held.(lock.Expirer); ok && time.Now().Before(timed.Until()) {
		s.Errorf("the lock was granted again before Until, by %v", time.Until(timed.Until()))
	}
	c.Link.Set(false)
	if err := s.Released(held); !errors.Is(err, lock.ErrNotHeld) {
		s.Errorf("Release of what was lost says %v", err)
	}
	s.Release(other)
}

// testReleaseInNextSession: a release that was not answered, and is made again when the session has ended, does not
// take the missing node for its own doing.
func testReleaseInNextSession(s *Stand, constructor Constructor) {
	c := s.Client(Short)
	held := s.Acquire(constructor(c.Session, s.Dir))
	c.Link.On(OpDelete, func(func()) { c.Link.Set(true) })
	released := make(chan error, 1)
	go func() { released <- s.Released(held) }()
	s.Nodes(0) // the session has ended
	c.Link.Set(false)
	if err := <-released; !errors.Is(err, zk.ErrSessionExpired) {
		s.Errorf("Release says %v, want that the session ended before the answer came", err)
	}
}

// testWaiterExpires: a waiter whose session ends waits anew, with one node.
func testWaiterExpires(s *Stand, make Constructor) {
	held := s.Acquire(make(s.Client(Lasting).Session, s.Dir))
	c := s.Client(Short)
	waiter := s.Begin(make(c.Session, s.Dir), 2)
	c.Link.Set(true)
	s.Nodes(1)
	c.Link.Set(false)
	s.Nodes(2)
	waiter.Waits()
	s.Release(held)
	s.Release(waiter.Held())
	s.Nodes(0)
}

// testWaiterReconnects: a waiter whose connection breaks keeps its place, and hears of
// what happens meanwhile.
func testWaiterReconnects(s *Stand, make Constructor) {
	held := s.Acquire(make(s.Client(Lasting).Session, s.Dir))
	c := s.Client(Lasting)
	waiter := s.Begin(make(c.Session, s.Dir), 2)
	waiter.Waits()
	c.Link.Set(true)
	s.Release(held)
	c.Link.Set(false)
	s.Release(waiter.Held())
	if n := c.Link.Sent(OpCreate); n > 3 { // two directories
		s.Errorf("%d nodes were created", n)
	}
}

// testClose: waiters on a connection that is closed get an error.
func testClose(s *Stand, make Constructor) {
	held := s.Acquire(make(s.Client(Lasting).Session, s.Dir))
	c := s.Client(Lasting)
	waiter := s.Begin(make(c.Session, s.Dir), 2)
	c.Conn().Close()
	if r := <-waiter.Result; !errors.Is(r.Err, lock.ErrClosed) {
		s.Errorf("Acquire says %v", r.Err)
	}
	if _, err := make(c.Session, s.Dir).Acquire(s.Context()); !errors.Is(err, lock.ErrClosed) {
		s.Errorf("Acquire on a closed connection says %v", err)
	}
	s.Nodes(1)
	s.Release(held)
}
