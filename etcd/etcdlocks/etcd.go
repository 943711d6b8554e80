package etcdlocks

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jonboulle/clockwork"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockpick-dev/lockpick/etcd/etcdlocks/internal/seconds"
	"github.com/lockpick-dev/lockpick/lock"
)

// Etcd is the recipe of etcd's documentation: each acquisition creates a key with a lease of
// its own under the prefix. The one that was created first has the lock. Each waiter watches
// the key before its own, and looks again when that is gone.
//
// Guarantee: mutual exclusion, if clocks run at nearly the same rate. A claim rests on the time
// at which the last request that renewed the lease was sent: the leader counts from later. The
// claim ends by the client's own clock ([lock.Expirer], [lock.Notifier]), and a late access is
// refused by a resource that checks the token, which is the revision that created the key.
//
// What breaks it: a holder that is stopped between its last look and the access, unless the
// resource checks the token (gc-pause: overrun).
//
// Requests: three to acquire a free lock, one to release it, one more and a watch for each
// predecessor, and a renewal each third of the time to live.
type Etcd struct {
	client *clientv3.Client
	prefix string
	ttl    int64 // in seconds
	clock  clockwork.Clock
}

// Options are the options of [NewEtcd].
type Options struct {
	// TTL is the time to live of leases, rounded up to whole seconds. The servers raise it
	// to one and a half of their election time-outs if it is shorter. The default is 10 s.
	TTL time.Duration
	// Clock measures the validity of claims and all pauses; nil means the real one.
	Clock clockwork.Clock
}

// NewEtcd returns a locker whose keys are under the prefix and a slash. It is safe for
// concurrent use. It uses the client and does not close it.
func NewEtcd(client *clientv3.Client, prefix string, options Options) *Etcd {
	if options.TTL <= 0 {
		options.TTL = 10 * time.Second
	}
	if options.Clock == nil {
		options.Clock = clockwork.NewRealClock()
	}
	return &Etcd{client, prefix + "/", seconds.Of(options.TTL), options.Clock}
}

// Acquire waits for the lock until ctx is done. After any error nothing is held: the lease is
// given up, at once or as soon as etcd can be reached.
func (e *Etcd) Acquire(ctx context.Context) (lock.Lease, error) {
	h, err := e.grant(ctx)
	if err != nil {
		return nil, fmt.Errorf("etcdlocks: acquire: %w", err)
	}
	h.renewAfter(h.interval())
	if err = h.enter(ctx); err == nil {
		err = h.wait(ctx)
	}
	if err == nil && h.claimed() {
		return h, nil
	}
	h.leave()
	if err == nil {
		err = errLost
	}
	return nil, fmt.Errorf("etcdlocks: acquire: %w", err)
}

// errLost is the error of a lease that ended before the lock was acquired.
var errLost = errors.New("the lease has ended")

// grant asks for a lease.
func (e *Etcd) grant(ctx context.Context) (*hold, error) {
	h := newHold(e)
	err := h.ask(ctx, func(ctx context.Context) error {
		sent := e.clock.Now()
		lease, err := e.client.Grant(ctx, e.ttl)
		if err == nil {
			h.lease, h.key = lease.ID, e.prefix+strconv.FormatInt(int64(lease.ID), 16)
			h.renewed(sent, lease.TTL)
		}
		return err
	})
	if err != nil {
		h.stop() // a lease granted nevertheless ends by itself, and has no key
	}
	return h, err
}

// enter creates the key, or finds it if an unanswered request has created it.
func (h *hold) enter(ctx context.Context) error {
	return h.ask(ctx, func(ctx context.Context) error {
		answer, err := h.of.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(h.key), "=", 0)).
			Then(clientv3.OpPut(h.key, "", clientv3.WithLease(h.lease))).
			Else(clientv3.OpGet(h.key)).Commit()
		switch {
		case err != nil:
			return err
		case answer.Succeeded:
			h.revision = answer.Header.Revision
		default:
			h.revision = answer.Responses[0].GetResponseRange().Kvs[0].CreateRevision
		}
		return nil
	})
}

// wait waits until there is no key before the own one.
func (h *hold) wait(ctx context.Context) error {
	for {
		before, at, err := h.predecessor(ctx)
		if err != nil || before == "" {
			return err
		}
		if err := h.watch(ctx, before, at+1); err != nil {
			return err
		}
	}
}

// predecessor returns the key before the own one, empty if there is none, and the
// revision of the read. It fails if the own key does not exist any more.
func (h *hold) predecessor(ctx context.Context) (key string, revision int64, err error) {
	latest := append(clientv3.WithLastCreate(), clientv3.WithMaxCreateRev(h.revision-1))
	err = h.ask(ctx, func(ctx context.Context) error {
		answer, err := h.of.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(h.key), "=", h.revision)).
			Then(clientv3.OpGet(h.of.prefix, latest...)).Commit()
		switch {
		case err != nil:
			return err
		case !answer.Succeeded:
			return errLost
		}
		key, revision = "", answer.Header.Revision
		if kvs := answer.Responses[0].GetResponseRange().Kvs; len(kvs) > 0 {
			key = string(kvs[0].Key)
		}
		return nil
	})
	return key, revision, err
}

// watch waits until a key is deleted, from a revision on. It returns early when it is time to
// look again: a server that hangs sends no events.
func (h *hold) watch(ctx context.Context, key string, from int64) error {
	watching, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	again := h.of.clock.NewTimer(h.patience())
	defer again.Stop()
	events := h.of.client.Watch(watching, key, clientv3.WithRev(from), clientv3.WithFilterPut())
	for deleted := false; !deleted; {
		select {
		case answer, open := <-events:
			if deleted = len(answer.Events) > 0; !open || answer.Canceled {
				events = nil
			}
		case <-again.Chan():
			deleted = true // perhaps
		case <-h.lost:
		case <-ctx.Done():
		}
		if err := h.stopped(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stopped returns the reason why the acquisition cannot go on, or nil.
func (h *hold) stopped(ctx context.Context) error {
	select {
	case <-h.lost:
		return errLost
	default:
		return ctx.Err()
	}
}
