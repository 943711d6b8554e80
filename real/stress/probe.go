package stress

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/model"
)

// This file finds out whether the lock can be tried without waiting, which processes do not say.

const (
	// timeToProbe is the maximum time of the calls that show it.
	timeToProbe = 10 * time.Second
	// promptly is how long a try may take, in parts of a lease: the lock must not be free before.
	promptly = 0.8
)

// probe has one client hold the lock and another try it: a lock that can be tried fails before the lease is over.
func (s *Stand) probe(ctx context.Context) error {
	if len(s.procs) < 2 {
		return nil
	}
	r := s.quiet()
	random := rand.New(rand.NewPCG(1, 1))
	holder, other := &actor{process: s.procs[0], random: random}, &actor{process: s.procs[1], random: random}
	r.actors = []*actor{holder, other}
	if err := r.call(ctx, holder, model.Acquire, false, timeToProbe); err != nil || !r.said(holder, model.OK) {
		return err
	}
	long := time.Duration(float64(s.lease()) * promptly)
	if err := r.call(ctx, other, model.Acquire, true, long); err != nil {
		return err
	}
	s.tries = r.said(other, model.Failed)
	if other.op != 0 {
		if err := other.orders.Encode(realclient.Order{Do: realclient.CancelCall}); err != nil {
			return err
		}
	}
	for _, a := range r.actors {
		if err := r.await(ctx, a, timeToProbe); err != nil {
			return err
		}
		if a.op == 0 && a.hold != 0 {
			if err := r.call(ctx, a, model.Release, false, timeToProbe); err != nil {
				return err
			}
		}
	}
	return nil
}

// said reports whether an actor's last operation is over, with a result.
func (r *run) said(a *actor, result model.Outcome) bool {
	return a.op == 0 && r.History.Operation(a.last).Result == result
}

// call makes a client call its lock, and waits for the answer for a time.
func (r *run) call(ctx context.Context, a *actor, kind model.OpKind, try bool, long time.Duration) error {
	if err := r.send(a, kind, try); err != nil {
		return err
	}
	return r.await(ctx, a, long)
}

// await waits until a client's call is over, at most for a time.
func (r *run) await(ctx context.Context, a *actor, long time.Duration) error {
	for end := time.Now().Add(long); a.op != 0 && time.Now().Before(end); {
		if err := r.passAll(); err != nil {
			return err
		}
		if err := r.listen(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	return r.failed
}
