package etcdlocks

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/lockpick-dev/lockpick/lock"
)

// hold is an acquisition of [Etcd]: a lease of etcd, its key, and the end of the claim. It
// is a [lock.Lease].
type hold struct {
	of       *Etcd
	lease    clientv3.LeaseID
	key      string
	revision int64 // at which the key was created

	over context.Context // ends when the lease is no longer renewed
	stop context.CancelFunc
	lost chan struct{} // closed when the claim has ended by itself

	mu    sync.Mutex // never held while anything is waited for
	until time.Time
	next  clockwork.Timer // of the next renewal
	tried bool            // a revocation was not answered
}

func newHold(e *Etcd) *hold {
	h := &hold{of: e, lost: make(chan struct{})}
	h.over, h.stop = context.WithCancel(e.client.Ctx())
	return h
}

// interval returns the time between two renewals, and patience how long to wait for an
// answer before the request is repeated, perhaps to another server.
func (h *hold) interval() time.Duration { return time.Duration(h.of.ttl) * time.Second / 3 }
func (h *hold) patience() time.Duration { return time.Duration(h.of.ttl) * time.Second / 4 }

// pause is the time between two tries of a request.
const pause = 50 * time.Millisecond

// rest waits between two tries.
func (h *hold) rest(ctx context.Context) error {
	timer := h.of.clock.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.Chan():
	case <-ctx.Done():
	}
	return ctx.Err()
}

// ask makes an idempotent request until it is answered.
func (h *hold) ask(ctx context.Context, request func(context.Context) error) error {
	for {
		err := h.once(ctx, h.patience(), request)
		switch {
		case err == nil:
			return nil
		case h.of.client.Ctx().Err() != nil:
			return lock.ErrClosed
		case ctx.Err() != nil || !unanswered(err):
			return err
		}
		if err := h.rest(ctx); err != nil {
			return err
		}
	}
}

// once makes a request, and gives it up after a while by the lock's clock.
func (h *hold) once(ctx context.Context, patience time.Duration, request func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer h.of.clock.AfterFunc(patience, cancel).Stop()
	return request(ctx)
}

// unanswered reports whether an error leaves open whether the request was executed, or no
// server could execute it.
func unanswered(err error) bool {
	if errors.Is(err, context.Canceled) {
		return true
	}
	var known rpctypes.EtcdError
	code := status.Code(err)
	if errors.As(err, &known) {
		code = known.Code()
	}
	return code == codes.Unavailable || code == codes.DeadlineExceeded || code == codes.Canceled || code == codes.ResourceExhausted
}

// renewed notes that the servers have renewed the lease, by a request sent at the given
// time.
func (h *hold) renewed(sent time.Time, ttl int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = sent.Add(time.Duration(ttl) * time.Second)
}

// Until returns the end of the claim, which moves with each renewal.
func (h *hold) Until() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.until
}

// claimed reports whether the claim has not ended.
func (h *hold) claimed() bool {
	select {
	case <-h.lost:
		return false
	default:
		return h.of.clock.Now().Before(h.Until())
	}
}

// Lost returns a channel that is closed when the claim has ended before it was given
// up.
func (h *hold) Lost() <-chan struct{} { return h.lost }

// Token returns the revision at which the key was created.
func (h *hold) Token() int64 { return h.revision }

// renew renews the lease, and schedules the next renewal until the lease is given up or has
// ended. The clock calls it.
func (h *hold) renew() {
	sent := h.of.clock.Now()
	left := h.Until().Sub(sent)
	if left <= 0 {
		h.lose()
		return
	}
	err := h.keepAlive(sent, min(left, h.patience()))
	now := h.of.clock.Now()
	switch left = h.Until().Sub(now); {
	case h.over.Err() != nil:
	case errors.Is(err, rpctypes.ErrLeaseNotFound) || left <= 0:
		h.of.clock.AfterFunc(0, h.lose) // by the clock, as the end of the claim is
	case err != nil:
		h.renewAfter(min(pause, left))
	default:
		h.renewAfter(h.interval() - now.Sub(sent))
	}
}

// renewAfter renews the lease after a while, unless it is given up before.
func (h *hold) renewAfter(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over.Err() == nil {
		h.next = h.of.clock.AfterFunc(d, h.renew)
	}
}

// giveUp ends the renewals.
func (h *hold) giveUp() {
	h.stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.next != nil {
		h.next.Stop()
	}
}

// lose ends the claim, if it was not given up.
func (h *hold) lose() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over.Err() != nil {
		return
	}
	if now := h.of.clock.Now(); now.Before(h.until) {
		h.until = now
	}
	close(h.lost)
}

// keepAlive sends one request to renew the lease.
func (h *hold) keepAlive(sent time.Time, patience time.Duration) error {
	return h.once(h.over, patience, func(ctx context.Context) error {
		answer, err := h.of.client.KeepAliveOnce(ctx, h.lease)
		if err == nil {
			h.renewed(sent, answer.TTL)
		}
		return err
	})
}

// Release revokes the lease, which deletes the key. It tries until it is answered or ctx is
// done. It returns [lock.ErrNotHeld] if the lease had ended.
func (h *hold) Release(ctx context.Context) error {
	h.giveUp()
	err := h.ask(ctx, h.revoke)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, lock.ErrNotHeld):
		return err
	}
	h.leave()
	return fmt.Errorf("etcdlocks: release: %w", err)
}

// revoke revokes the lease. If the lease is gone after an unanswered try, it returns
// errOpen, since the try or the time to live may have ended it.
func (h *hold) revoke(ctx context.Context) error {
	_, err := h.of.client.Revoke(ctx, h.lease)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case errors.Is(err, rpctypes.ErrLeaseNotFound) && !h.tried:
		return lock.ErrNotHeld
	case errors.Is(err, rpctypes.ErrLeaseNotFound):
		return errOpen
	case err != nil:
		h.tried = true
	}
	return err
}

// errOpen is the error of a lease that is gone for an unknown reason.
var errOpen = errors.New("the lease is gone: an earlier request to release it, which was not answered, has ended it, or its time to live has")

// leave gives the lease up in the background, as soon as etcd can be reached.
func (h *hold) leave() {
	h.giveUp()
	h.of.clock.AfterFunc(0, func() {
		_ = h.ask(h.of.client.Ctx(), h.revoke) // the caller has returned
	})
}
