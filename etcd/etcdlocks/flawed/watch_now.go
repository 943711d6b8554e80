package flawed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockpick-dev/lockpick/etcd/etcdlocks"
	"github.com/lockpick-dev/lockpick/etcd/etcdlocks/internal/seconds"
	"github.com/lockpick-dev/lockpick/lock"
)

// WatchNow is a lock of one key with a lease, which the library keeps alive. A waiter that finds
// the key watches it. It is flawed: it watches from now, and not from the revision at which it
// found the key.
//
// Guarantee: mutual exclusion while leases last. Its leases signal their loss when the library
// learns of it, and do not say until when they are valid.
//
// What breaks it: the key may be deleted between the answer that shows it and the registration
// of the watch. The waiter then waits for a deletion that has happened, beside a free lock, until
// somebody else takes and releases it (lost-wakeup: progress, bounded-wakeup). And a lease whose
// end the library learns late (hung-node, partition: timely-loss).
//
// Requests: two to acquire a free lock, one to release it, one more and a watch for each wait, a
// keep-alive each third of the time to live.
type WatchNow struct {
	client *clientv3.Client
	key    string
	ttl    int64 // in seconds
	clock  clockwork.Clock
}

// NewWatchNow returns a locker for the key. It is safe for concurrent use. It uses the client
// and does not close it.
func NewWatchNow(client *clientv3.Client, key string, options etcdlocks.Options) *WatchNow {
	if options.TTL <= 0 {
		options.TTL = 10 * time.Second
	}
	if options.Clock == nil {
		options.Clock = clockwork.NewRealClock()
	}
	return &WatchNow{client, key, seconds.Of(options.TTL), options.Clock}
}

// Acquire waits for the lock until ctx is done. After any error nothing is held: the lease is
// revoked as soon as etcd can be reached.
func (w *WatchNow) Acquire(ctx context.Context) (lock.Lease, error) {
	l, err := w.grant(ctx)
	for free := false; err == nil && !free; {
		if free, err = l.take(ctx); err == nil && !free {
			err = w.await(ctx)
		}
	}
	if err != nil {
		if l != nil {
			l.leave()
		}
		return nil, fmt.Errorf("etcdlocks: acquire: %w", err)
	}
	return l, nil
}

// grant asks for a lease, and has it kept alive.
func (w *WatchNow) grant(ctx context.Context) (*watchNowLease, error) {
	granted, err := w.client.Grant(ctx, w.ttl)
	if err != nil {
		return nil, err
	}
	l := &watchNowLease{of: w, id: granted.ID, lost: make(chan struct{})}
	alive, stop := context.WithCancel(w.client.Ctx())
	l.stop = stop
	answers, err := w.client.KeepAlive(alive, granted.ID)
	if err != nil {
		return l, err
	}
	go func() {
		for range answers { // until the lease has ended, or is given up
		}
		if alive.Err() == nil {
			close(l.lost)
		}
	}()
	return l, nil
}

// await waits until the key is deleted.
func (w *WatchNow) await(ctx context.Context) error {
	watching, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	for answer := range w.client.Watch(watching, w.key, clientv3.WithFilterPut()) { // the flaw: from now
		if len(answer.Events) > 0 || answer.Canceled {
			break
		}
	}
	return ctx.Err()
}

// watchNowLease is an acquisition: a lease, and the key if it has that.
type watchNowLease struct {
	of   *WatchNow
	id   clientv3.LeaseID
	stop context.CancelFunc // the renewals
	lost chan struct{}
}

// take creates the key if there is none, or finds it created by a request that was not
// answered.
func (l *watchNowLease) take(ctx context.Context) (held bool, err error) {
	w := l.of
	for {
		answer, err := w.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(w.key), "=", 0)).
			Then(clientv3.OpPut(w.key, "", clientv3.WithLease(l.id))).
			Else(clientv3.OpGet(w.key)).Commit()
		switch {
		case err == nil && answer.Succeeded:
			return true, nil
		case err == nil:
			return clientv3.LeaseID(answer.Responses[0].GetResponseRange().Kvs[0].Lease) == l.id, nil
		case errors.Is(err, rpctypes.ErrLeaseNotFound):
			return false, err
		}
		if err := w.rest(ctx); err != nil {
			return false, err
		}
	}
}

// Lost is closed when the library has learnt that the lease has ended.
func (l *watchNowLease) Lost() <-chan struct{} { return l.lost }

// Release revokes the lease, which deletes the key. It tries until it is answered or ctx is done,
// and goes on in the background then. It returns [lock.ErrNotHeld] if the lease had ended.
func (l *watchNowLease) Release(ctx context.Context) error {
	err := l.revoke(ctx)
	if ctx.Err() != nil {
		l.leave()
	}
	if err != nil && !errors.Is(err, lock.ErrNotHeld) {
		return fmt.Errorf("etcdlocks: release: %w", err)
	}
	return err
}

// leave revokes the lease in the background, as soon as etcd can be reached.
func (l *watchNowLease) leave() {
	go func() { _ = l.revoke(l.of.client.Ctx()) }() // the caller has returned
}

// revoke revokes the lease. If it is gone, and an earlier try was not answered, that try may
// have ended it.
func (l *watchNowLease) revoke(ctx context.Context) error {
	l.stop()
	for tried := false; ; tried = true {
		_, err := l.of.client.Revoke(ctx, l.id)
		gone := errors.Is(err, rpctypes.ErrLeaseNotFound)
		switch {
		case err == nil, gone && tried:
			return nil
		case gone:
			return lock.ErrNotHeld
		}
		if err := l.of.rest(ctx); err != nil {
			return err
		}
	}
}

// rest is the pause between two tries.
func (w *WatchNow) rest(ctx context.Context) error {
	timer := w.clock.NewTimer(50 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.Chan():
	case <-ctx.Done():
	}
	return ctx.Err()
}
