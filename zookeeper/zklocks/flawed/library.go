package flawed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks/internal/recipe"
)

// Library is the lock of the client library itself, zk.Lock of
// github.com/go-zookeeper/zk, as it is, with an interface that it does not have: a
// Library has one zk.Lock, which one caller at a time uses, and an Acquire whose ctx is
// done leaves its call of Lock running, and unlocks when that returns. It is flawed.
//
// Guarantee: mutual exclusion while sessions last and requests are answered.
//
// What breaks it, in v1.0.4. It never looks whether its own node is among the children:
// with three servers a listing can be sent in the session after the one that had its
// node, it finds no lower one there, and takes the lock without a node (gc-pause:
// truthful-acquire). An error after the creation leaves the node: the client's next Lock
// waits behind it until the session ends (lost-reply, node-restart, failover-loss,
// cancel: no-orphan, progress). Unlock keeps its node's name when it fails: once the
// session has expired it says "node does not exist" for ever, and Lock "trying to acquire
// a lock twice" (session-expiry, partition, gc-pause: progress). After a lost answer it
// takes a node of the expired session, which is about to vanish, for its own
// (CURATOR-498). Sequences are compared as numbers: when they wrap around, the first
// negative one gets the lock beside the holder. A lease has no end, no signal of its loss
// and no token (gc-pause: mutual-exclusion, timely-loss).
//
// Requests: as [zklocks.Zookeeper], less one in acquire and without syncs.
type Library struct {
	lock  *zk.Lock
	clock clockwork.Clock
	turn  chan struct{} // holds one value while a caller uses the lock
}

// NewLibrary returns a locker for the lock whose nodes are in the given directory. It is
// safe for concurrent use: callers of one locker wait for each other.
func NewLibrary(session *zklocks.Session, dir string, options zklocks.Options) *Library {
	s := (*recipe.Session)(session)
	return &Library{clock: s.Clock(), lock: zk.NewLock(s.Conn(), dir, recipe.ACL(options.ACL)), turn: make(chan struct{}, 1)}
}

// Acquire calls Lock. Any error leaves open whether the lock was taken.
func (l *Library) Acquire(ctx context.Context) (lock.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("zklocks: acquire: %w", err)
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("zklocks: acquire: %w", ctx.Err())
	}
	if err := ctx.Err(); err != nil { // both may have been ready
		<-l.turn
		return nil, fmt.Errorf("zklocks: acquire: %w", err)
	}
	locked := make(chan error, 1)
	go func() { locked <- l.lock.Lock() }()
	answered, err := outcome(ctx, locked)
	switch {
	case !answered:
		go l.abandon(locked)
		return nil, fmt.Errorf("zklocks: acquire: %w", err)
	case err != nil:
		<-l.turn
		return nil, fmt.Errorf("zklocks: acquire: %w", err)
	}
	return &libraryLease{of: l}, nil
}

// outcome waits for the result of a call of the library, or for the end of ctx, which
// takes precedence if both are there, since a select would choose at random. The result
// then remains in the channel's buffer.
func outcome(ctx context.Context, of chan error) (answered bool, err error) {
	select {
	case err := <-of:
		if ctx.Err() == nil {
			return true, err
		}
		of <- err
	case <-ctx.Done():
	}
	return false, ctx.Err()
}

// abandon unlocks the lock when a call of Lock that nobody waits for returns.
func (l *Library) abandon(locked <-chan error) {
	err := <-locked
	if err == nil {
		err = l.lock.Unlock()
	}
	if err != nil {
		l.clock.Sleep(rest)
	}
	<-l.turn
}

// rest is the pause after a failed call: a request that is made while the library fails its
// queue may or may not fail, too.
const rest = time.Millisecond

type libraryLease struct {
	of       *Library
	unlocked chan error // the result of a call of Unlock that was not received yet
	failed   bool       // the last call of Unlock failed
	released bool
}

// Release calls Unlock, and again if it is called after that has failed.
func (l *libraryLease) Release(ctx context.Context) error {
	if l.released {
		return lock.ErrNotHeld
	}
	if l.unlocked == nil {
		l.unlocked = make(chan error, 1)
		go l.of.unlock(l.unlocked, l.failed)
	}
	answered, err := outcome(ctx, l.unlocked)
	if !answered {
		return fmt.Errorf("zklocks: release: %w", err)
	}
	l.unlocked, l.failed = nil, err != nil
	l.released = err == nil || errors.Is(err, zk.ErrNoNode)
	switch {
	case err == nil:
		return nil
	case l.released:
		return lock.ErrNotHeld
	}
	return fmt.Errorf("zklocks: release: %w", err)
}

// unlock calls Unlock and ends the caller's turn, unless an earlier call that failed
// has ended it.
func (l *Library) unlock(unlocked chan<- error, failed bool) {
	if failed {
		l.turn <- struct{}{}
	}
	err := l.lock.Unlock()
	<-l.turn
	unlocked <- err
}
