package zklocks_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realzk"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/zklocks"
)

const (
	// short is a session to wait for the end of; lasting one that outlives a busy
	// machine's delays.
	short, lasting = 1200 * time.Millisecond, 4 * time.Second
	// soon is how long anything may take that takes no time.
	soon = 20 * time.Second
	// busy is how long nothing may come of a thing that should not.
	busy = 200 * time.Millisecond
)

// A constructor makes a locker for a directory.
type constructor func(*zklocks.Session, string) lock.Locker

// kinds are the locks that one client at a time has, but for [zklocks.Printed].
var kinds = []struct {
	id   string
	make constructor
}{
	{"zookeeper", zookeeper},
	{"zookeeper-herd", herd},
	{"curator", curator},
	{"readwrite", func(s *zklocks.Session, dir string) lock.Locker {
		return zklocks.NewReadWrite(s, dir, zklocks.Options{}).Writer()
	}},
	{"semaphore", func(s *zklocks.Session, dir string) lock.Locker {
		return zklocks.NewSemaphore(s, dir, 1, zklocks.Options{})
	}},
	{"zklib", library},
}

func zookeeper(s *zklocks.Session, dir string) lock.Locker {
	return zklocks.NewZookeeper(s, dir, zklocks.Options{})
}

func herd(s *zklocks.Session, dir string) lock.Locker {
	return zklocks.NewHerd(s, dir, zklocks.Options{})
}

func curator(s *zklocks.Session, dir string) lock.Locker {
	return zklocks.NewCurator(s, dir, zklocks.Options{})
}

func library(s *zklocks.Session, dir string) lock.Locker {
	return zklocks.NewLibrary(s, dir, zklocks.Options{})
}

func printed(s *zklocks.Session, dir string) lock.Locker {
	return zklocks.NewPrinted(s, dir, zklocks.Options{})
}

// TestFunctional asks of the locks, on a real ZooKeeper, what a lock is there for.
func TestFunctional(t *testing.T) {
	addr := realzk.Start(t, 200*time.Millisecond).Addr
	// Most of its time a test waits.
	places := make(chan struct{}, 8)
	var done sync.WaitGroup
	defer done.Wait()
	one := func(name string, test func(*stand)) {
		done.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			t.Run(name, func(t *testing.T) { test(newStand(t, addr)) })
		})
	}
	all := func(name string, test func(*stand, constructor)) {
		for _, k := range kinds {
			one(name+"/"+k.id, func(s *stand) { test(s, k.make) })
		}
	}
	sound := func(name string, test func(*stand, constructor)) {
		for _, k := range kinds {
			if k.id != "zklib" {
				one(name+"/"+k.id, func(s *stand) { test(s, k.make) })
			}
		}
	}
	all("exclusion", testExclusion)
	all("hand-over", testHandOver)
	all("second release", testSecondRelease)
	all("waiter dies", testWaiterDies)
	all("cancellation", testCancellation)
	all("gone before the watch", testGoneBeforeWatch)
	sound("cancelled creation", testCancelledCreation)
	sound("lost creation", testLostCreation)
	sound("lost deletion", testLostDeletion)
	sound("expiry", testExpiry)
	sound("expiry of a waiter", testWaiterExpires)
	sound("reconnection of a waiter", testWaiterReconnects)
	sound("close", testClose)
	one("expiry before the watch", testExpiryBeforeWatch)
	one("fences", testFences)
	one("renewal", testRenewal)
	one("until", testUntil)
	one("re-entrance", testReentrance)
	one("readers", testReaders)
	one("upgrade", testUpgrade)
	one("permits", testPermits)
	one("wake-ups", testWakeUps)
	one("as printed: second wait", testPrintedSecondWait)
	one("as printed: waiter dies", testPrintedWaiterDies)
	one("zklib: dead unlock", testDeadUnlock)
}

// testExclusion: of several goroutines in several processes one at a time is inside.
func testExclusion(s *stand, make constructor) {
	const processes, threads, rounds = 3, 3, 3
	var inside, entered atomic.Int32
	var done sync.WaitGroup
	for range processes {
		l := make(s.client(lasting).Session, s.dir)
		for range threads {
			done.Go(func() {
				for range rounds {
					ctx, cancel := context.WithTimeout(s.Context(), 2*soon)
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
					s.release(lease)
				}
			})
		}
	}
	done.Wait()
	if n := entered.Load(); n != processes*threads*rounds {
		s.Errorf("%d critical sections, want %d", n, processes*threads*rounds)
	}
	s.nodes(0)
}

// testHandOver: waiters get the lock in the order in which they came, one after another.
func testHandOver(s *stand, make constructor) {
	held := s.acquire(make(s.client(lasting).Session, s.dir))
	second := s.begin(make(s.client(lasting).Session, s.dir), 2)
	third := s.begin(make(s.client(lasting).Session, s.dir), 3)
	second.waits()
	s.release(held)
	held = second.held()
	third.waits()
	s.release(held)
	s.release(third.held())
	s.nodes(0)
}

func testSecondRelease(s *stand, make constructor) {
	c := s.client(lasting)
	held := s.acquire(make(c.Session, s.dir))
	s.release(held)
	other := s.acquire(make(s.client(lasting).Session, s.dir))
	if err := s.released(held); !errors.Is(err, lock.ErrNotHeld) {
		s.Errorf("the second Release says %v", err)
	}
	s.nodes(1)
	s.release(other)
}

// testWaiterDies: who waits behind a waiter that is gone goes on waiting.
func testWaiterDies(s *stand, make constructor) {
	held := s.acquire(make(s.client(lasting).Session, s.dir))
	dead := s.client(lasting)
	s.begin(make(dead.Session, s.dir), 2)
	waiter := s.begin(make(s.client(lasting).Session, s.dir), 3)
	dead.Conn().Close()
	s.nodes(2)
	waiter.waits()
	s.release(held)
	s.release(waiter.held())
}

// testCancellation: who gives up returns at once, and leaves nothing.
func testCancellation(s *stand, make constructor) {
	held := s.acquire(make(s.client(lasting).Session, s.dir))
	l := make(s.client(lasting).Session, s.dir)
	waiter := s.begin(l, 2)
	waiter.cancel()
	if r := <-waiter.result; !errors.Is(r.err, context.Canceled) {
		s.Fatalf("Acquire says %v", r.err)
	}
	if _, library := l.(*zklocks.Library); library {
		s.release(held) // its call of Lock goes on until it has the lock
		s.nodes(0)
		return
	}
	s.nodes(1)
	s.release(held)
	s.release(s.acquire(l))
}

// testGoneBeforeWatch: a node that is deleted after it was listed, and before it is
// watched, is not waited for.
func testGoneBeforeWatch(s *stand, make constructor) {
	held := s.acquire(make(s.client(lasting).Session, s.dir))
	c := s.client(lasting)
	l := make(c.Session, s.dir)
	release := func(send func()) {
		s.release(held)
		send()
	}
	if _, semaphore := l.(*zklocks.Semaphore); semaphore {
		c.link.on(opGetChildren, func(send func()) {
			send() // the listing without a watch
			c.link.on(opGetChildren, release)
		})
	} else if _, library := l.(*zklocks.Library); library {
		c.link.on(opGetData, release)
	} else {
		c.link.on(opGetData, func(send func()) {
			send() // of its own node
			c.link.on(opGetData, release)
		})
	}
	s.release(s.start(l).held())
}

// testCancelledCreation: a node whose creation was under way when the caller gave up is
// removed.
func testCancelledCreation(s *stand, make constructor) {
	s.release(s.acquire(make(s.client(lasting).Session, s.dir))) // for the directory
	c := s.client(lasting)
	l := make(c.Session, s.dir)
	ctx, cancel := context.WithCancel(s.Context())
	returned, sent := signal(), signal()
	c.link.on(opCreate, func(send func()) {
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
	s.nodes(0)
	s.release(s.acquire(l))
}

func signal() chan struct{} { return make(chan struct{}) }

// testLostCreation: a node whose creation was not answered is found.
func testLostCreation(s *stand, make constructor) {
	s.release(s.acquire(make(s.client(lasting).Session, s.dir)))
	c := s.client(lasting)
	l := make(c.Session, s.dir)
	c.link.on(opCreate, c.link.lose)
	held := s.acquire(l)
	if n := c.link.sent(opCreate); n != 1 {
		s.Errorf("%d nodes were created", n)
	}
	s.nodes(1)
	s.release(held)
	s.nodes(0)
}

// testLostDeletion: a release that was not answered is made again, and has released.
func testLostDeletion(s *stand, make constructor) {
	c := s.client(lasting)
	held := s.acquire(make(c.Session, s.dir))
	c.link.on(opDelete, c.link.lose)
	s.release(held)
	s.nodes(0)
	if n := c.link.sent(opDelete); n != 2 {
		s.Errorf("%d deletions were sent", n)
	}
}

// testExpiry: who is cut off knows that it has lost the lock before another has it.
func testExpiry(s *stand, make constructor) {
	c := s.client(short)
	held := s.acquire(make(c.Session, s.dir))
	waiter := s.begin(make(s.client(lasting).Session, s.dir), 2)
	c.link.set(true)
	other := waiter.held()
	select {
	case <-held.(lock.Notifier).Lost():
	default:
		s.Error("the lock was granted again before Lost was closed")
	}
	if timed, ok := held.(lock.Expirer); ok && time.Now().Before(timed.Until()) {
		s.Errorf("the lock was granted again before Until, by %v", time.Until(timed.Until()))
	}
	c.link.set(false)
	if err := s.released(held); !errors.Is(err, lock.ErrNotHeld) {
		s.Errorf("Release of what was lost says %v", err)
	}
	s.release(other)
}

// testWaiterExpires: a waiter whose session ends waits anew, with one node.
func testWaiterExpires(s *stand, make constructor) {
	held := s.acquire(make(s.client(lasting).Session, s.dir))
	c := s.client(short)
	waiter := s.begin(make(c.Session, s.dir), 2)
	c.link.set(true)
	s.nodes(1)
	c.link.set(false)
	s.nodes(2)
	waiter.waits()
	s.release(held)
	s.release(waiter.held())
	s.nodes(0)
}

// testExpiryBeforeWatch: a waiter whose session ends before it has set its watch does not
// wait without a node.
func testExpiryBeforeWatch(s *stand) {
	held := s.acquire(zookeeper(s.client(lasting).Session, s.dir))
	c := s.client(short)
	c.link.on(opGetData, func(send func()) {
		send() // of its own node
		c.link.on(opGetData, func(func()) { c.link.set(true) })
	})
	waiter := s.begin(zookeeper(c.Session, s.dir), 2)
	s.nodes(1)
	c.link.set(false)
	s.nodes(2)
	s.release(held)
	s.release(waiter.held())
}

// testWaiterReconnects: a waiter whose connection breaks keeps its place, and hears of
// what happens meanwhile.
func testWaiterReconnects(s *stand, make constructor) {
	held := s.acquire(make(s.client(lasting).Session, s.dir))
	c := s.client(lasting)
	waiter := s.begin(make(c.Session, s.dir), 2)
	waiter.waits()
	c.link.set(true)
	s.release(held)
	c.link.set(false)
	s.release(waiter.held())
	if n := c.link.sent(opCreate); n > 3 { // two directories
		s.Errorf("%d nodes were created", n)
	}
}

// testClose: whoever waits on a connection that is closed is told.
func testClose(s *stand, make constructor) {
	held := s.acquire(make(s.client(lasting).Session, s.dir))
	c := s.client(lasting)
	waiter := s.begin(make(c.Session, s.dir), 2)
	c.Conn().Close()
	if r := <-waiter.result; !errors.Is(r.err, lock.ErrClosed) {
		s.Errorf("Acquire says %v", r.err)
	}
	if _, err := make(c.Session, s.dir).Acquire(s.Context()); !errors.Is(err, lock.ErrClosed) {
		s.Errorf("Acquire on a closed connection says %v", err)
	}
	s.nodes(1)
	s.release(held)
}
