package flawed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks/internal/recipe"
)

// Printed is a lock over ZooKeeper as a widely read Chinese article on distributed locks
// prints it in Java (DistributeLock, "5.3.1"): an ephemeral sequential node, a sleep of
// 10 ms, the children in the order of their names. The first holds. Any other reads the
// node before its own with a watch, waits on a latch that the watch's deletion event
// counts down, and returns. It is flawed.
//
// An instance has one latch and one field each for its node and the one it waits for, as
// the article's has; a Printed is an instance. All exceptions of lock and unlock are
// swallowed; an interrupt, here the end of ctx, is an exception of waiting.
//
// Guarantee: the first to ask has the lock, while nothing fails.
//
// What breaks it, as mutual-exclusion, no-lost-update and truthful-acquire. It waits
// once and does not look again: when a client that waits is gone (scenarios
// holder-crash, session-expiry), or gives up (cancel), the one behind it goes in beside
// the holder. If the node before its own is deleted before it is read, getData fails,
// which is swallowed. That does no harm if the node was the holder's; if it was a
// waiter's, the client goes in beside the holder. The latch is open after the first
// wait: an instance that waits a second time returns at once, so that three rounds of
// two clients with no fault at all have two holders (contention). A lost connection
// makes create, getChildren or getData fail, which is swallowed, and the caller goes on
// without the lock (lost-reply, partition, election). If its session ends while it
// waits, the latch is never counted down (session-expiry, progress). If unlock fails the
// node stays while the session lives (lost-reply, no-orphan). A lease has no end, no
// signal of its loss and no token (gc-pause, mutual-exclusion).
//
// Requests: acquire 2, or 3 with a wait, and one in the beginning; release 1.
type Printed struct {
	session *recipe.Session
	root    string
	acl     []zk.ACL

	waitLatch chan struct{} // closed once and for all
	countDown sync.Once

	mu          sync.Mutex // never held while anything is waited for
	constructed bool
	waitPath    string
	currentNode string
}

// NewPrinted returns a locker for the lock whose nodes are in the given directory
// ("/locks" in the article), of which the last part is created if need be. It is safe
// for concurrent use, in so far as the article's is.
func NewPrinted(session *zklocks.Session, dir string, options zklocks.Options) *Printed {
	return &Printed{session: (*recipe.Session)(session), root: dir, acl: recipe.ACL(options.ACL), waitLatch: make(chan struct{})}
}

// Acquire is the article's lock, after its constructor's requests the first time. Only
// these fail. It returns a lease in any other case, with the lock or without.
func (l *Printed) Acquire(ctx context.Context) (lock.Lease, error) {
	if err := l.construct(ctx); err != nil {
		return nil, fmt.Errorf("zklocks: acquire: %w", err)
	}
	_ = l.lock(ctx) // e.printStackTrace()
	return printedLease{l}, nil
}

// construct creates the root node.
func (l *Printed) construct(ctx context.Context) error {
	l.mu.Lock()
	constructed := l.constructed
	l.mu.Unlock()
	if constructed {
		return nil
	}
	exists, err := recipe.Do(ctx, l.session, func(conn *zk.Conn) (bool, error) {
		exists, _, err := conn.Exists(l.root)
		return exists, err
	})
	if err == nil && !exists {
		_, err = l.create(ctx, l.root, zk.FlagPersistent)
	}
	if err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return err
	}
	l.mu.Lock()
	l.constructed = true
	l.mu.Unlock()
	return nil
}

func (l *Printed) create(ctx context.Context, path string, flags int32) (string, error) {
	return recipe.Do(ctx, l.session, func(conn *zk.Conn) (string, error) {
		return conn.Create(path, nil, flags, l.acl)
	})
}

// lock is the article's zkLock; its errors are those that zkLock swallows.
func (l *Printed) lock(ctx context.Context) error {
	created, err := l.create(ctx, l.root+"/seq-", zk.FlagEphemeralSequential)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.currentNode = created
	l.mu.Unlock()
	if err := l.sleep(ctx, 10*time.Millisecond); err != nil {
		return err
	}
	children, err := recipe.Do(ctx, l.session, func(conn *zk.Conn) ([]string, error) {
		children, _, err := conn.Children(l.root)
		return children, err
	})
	if err != nil || len(children) == 1 {
		return err
	}
	slices.Sort(children)
	l.mu.Lock()
	thisNode := strings.TrimPrefix(l.currentNode, l.root+"/")
	l.mu.Unlock()
	switch index := slices.Index(children, thisNode); index {
	case -1:
		return errors.New("abnormal data") // is printed, and zkLock returns
	case 0:
		return nil
	default:
		return l.await(ctx, l.root+"/"+children[index-1])
	}
}

// await watches the node and waits on the latch.
func (l *Printed) await(ctx context.Context, path string) error {
	l.mu.Lock()
	l.waitPath = path
	l.mu.Unlock()
	events, err := recipe.Do(ctx, l.session, func(conn *zk.Conn) (<-chan zk.Event, error) {
		_, _, events, err := conn.GetW(path)
		return events, err
	})
	if err != nil {
		return err
	}
	go func() { l.process(<-events) }()
	select {
	case <-l.waitLatch:
		return nil
	default:
	}
	select {
	case <-l.waitLatch:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// process is the article's watcher.
func (l *Printed) process(event zk.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if event.Type == zk.EventNodeDeleted && event.Path == l.waitPath {
		l.countDown.Do(func() { close(l.waitLatch) })
	}
}

func (l *Printed) sleep(ctx context.Context, d time.Duration) error {
	timer := l.session.Clock().NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type printedLease struct{ lock *Printed }

// Release is the article's zkUnlock. It deletes the instance's node, and reports
// success in any case.
func (l printedLease) Release(ctx context.Context) error {
	l.lock.mu.Lock()
	path := l.lock.currentNode
	l.lock.mu.Unlock()
	_, _ = recipe.Do(ctx, l.lock.session, func(conn *zk.Conn) (struct{}, error) {
		return struct{}{}, conn.Delete(path, -1)
	}) // e.printStackTrace()
	return nil
}
