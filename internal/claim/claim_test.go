package claim_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/claim"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// lease tells its end, and signals its loss.
type lease struct {
	until time.Time
	lost  chan struct{}
}

func (lease) Release(context.Context) error { return nil }
func (l lease) Until() time.Time            { return l.until }
func (l lease) Lost() <-chan struct{}       { return l.lost }

// plain tells nothing.
type plain struct{}

func (plain) Release(context.Context) error { return nil }

// TestHolds: a lease claims the lock until its end, or until it signals its loss.
func TestHolds(t *testing.T) {
	now := time.Unix(1000, 0)
	lost := make(chan struct{})
	close(lost)
	for name, c := range map[string]struct {
		lease lock.Lease
		want  bool
	}{
		"without an end": {plain{}, true},
		"before its end": {lease{now.Add(1), nil}, true},
		"at its end":     {lease{now, nil}, false},
		"lost":           {lease{now.Add(1), lost}, false},
	} {
		if got := claim.Holds(c.lease, claim.End(c.lease), now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestOutcomes: an error leaves open what happened, unless it is the lock's own and does not say that it is unknown.
func TestOutcomes(t *testing.T) {
	notHeld, notAcquired, soldOut := fmt.Errorf("x: %w", lock.ErrNotHeld), fmt.Errorf("x: %w", lock.ErrNotAcquired), fmt.Errorf("x: %w", lock.ErrSoldOut)
	unknown := func(err error) error { return fmt.Errorf("%w: %w", lock.ErrUnknown, err) }
	for _, c := range []struct {
		err                     error
		answered, tried, called model.Outcome
	}{
		{nil, model.OK, model.Unknown, model.OK},
		{notHeld, model.Failed, model.Unknown, model.Failed},
		{notAcquired, model.Unknown, model.Failed, model.Failed},
		{soldOut, model.Unknown, model.Unknown, model.Failed},
		{errors.ErrUnsupported, model.Unknown, model.Unknown, model.Unknown},
		{context.Canceled, model.Unknown, model.Unknown, model.Unknown},
		{lock.ErrUnknown, model.Unknown, model.Unknown, model.Unknown},
		{unknown(notHeld), model.Unknown, model.Unknown, model.Unknown},
		{unknown(notAcquired), model.Unknown, model.Unknown, model.Unknown},
		{unknown(soldOut), model.Unknown, model.Unknown, model.Unknown},
	} {
		if result, notHeld := claim.Answered(c.err); result != c.answered || notHeld != (c.answered == model.Failed) {
			t.Errorf("a release with %v: %s %v, want %s", c.err, result, notHeld, c.answered)
		}
		if got := claim.Tried(c.err); c.err != nil && got != c.tried {
			t.Errorf("an acquire with %v: %s, want %s", c.err, got, c.tried)
		}
		if got, refused := claim.Called(c.err); got != c.called || refused != (got == model.Failed && errors.Is(c.err, lock.ErrSoldOut)) {
			t.Errorf("a call with %v: %s %v, want %s", c.err, got, refused, c.called)
		}
	}
}
