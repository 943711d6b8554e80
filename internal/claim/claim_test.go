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

// TestStands: a lease claims the lock until its end, or until it signals its loss.
func TestStands(t *testing.T) {
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
		if got := claim.Stands(c.lease, claim.End(c.lease), now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestOutcomes: an error leaves open what happened, unless it is the lock's own.
func TestOutcomes(t *testing.T) {
	notHeld, notAcquired := fmt.Errorf("x: %w", lock.ErrNotHeld), fmt.Errorf("x: %w", lock.ErrNotAcquired)
	for _, c := range []struct {
		err     error
		result  model.Outcome
		notHeld bool
	}{{nil, model.OK, false}, {notHeld, model.Failed, true}, {notAcquired, model.Unknown, false}, {errors.ErrUnsupported, model.Unknown, false}} {
		if result, notHeld := claim.Answered(c.err); result != c.result || notHeld != c.notHeld {
			t.Errorf("a release with %v: %s %v", c.err, result, notHeld)
		}
	}
	for err, want := range map[error]model.Outcome{notAcquired: model.Failed, notHeld: model.Unknown, context.Canceled: model.Unknown} {
		if got := claim.Tried(err); got != want {
			t.Errorf("an acquire with %v: %s, want %s", err, got, want)
		}
	}
}
