package claim

import (
	"errors"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
)

// End returns the end of a lease by its process's clock, zero if the lease does not have Until.
func End(lease lock.Lease) (end time.Time) {
	if e, expires := lease.(lock.Expirer); expires {
		end = e.Until()
	}
	return end
}

// Holds reports whether a lease with this end, zero if there is none, still claims the lock at a time of its process's
// clock. Careful clients check it before each access.
func Holds(lease lock.Lease, end, now time.Time) bool {
	if !end.IsZero() && !now.Before(end) {
		return false
	}
	if n, ok := lease.(lock.Notifier); ok {
		select {
		case <-n.Lost():
			return false
		default:
		}
	}
	return true
}

// Answered returns the outcome of a Release or an Extend.
func Answered(err error) (result model.Outcome, notHeld bool) {
	switch {
	case err == nil:
		return model.OK, false
	case is(err, lock.ErrNotHeld):
		return model.Failed, true
	}
	return model.Unknown, false
}

// Tried returns the outcome of an Acquire that has failed.
func Tried(err error) model.Outcome {
	if is(err, lock.ErrNotAcquired) {
		return model.Failed
	}
	return model.Unknown
}

// Called returns the outcome of a call of an object that is no mutex; refused is set if it found a stock
// sold out.
func Called(err error) (result model.Outcome, refused bool) {
	refused = is(err, lock.ErrSoldOut)
	switch {
	case err == nil:
		return model.OK, false
	case refused, is(err, lock.ErrNotAcquired), is(err, lock.ErrNotHeld):
		return model.Failed, refused
	}
	return model.Unknown, false
}

// is reports whether an error is the given one and does not leave the outcome open.
func is(err, known error) bool { return errors.Is(err, known) && !errors.Is(err, lock.ErrUnknown) }
