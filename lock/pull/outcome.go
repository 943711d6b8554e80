package pull

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/lock"
)

var (
	// ErrTimeout is returned by Acquire, wrapped, when the wait is over and the
	// lock was taken at each try. It is lock.ErrNotAcquired as well.
	ErrTimeout = fmt.Errorf("timed out: %w", lock.ErrNotAcquired)
	// ErrTooLate is returned by Acquire and Extend, wrapped, when the validity had
	// passed before the answer arrived. The record has been removed, or the error says
	// why that failed.
	ErrTooLate = errors.New("the validity had passed before the answer came")
	// ErrUnsure is returned by Release, wrapped, when the record is gone and the
	// answer to an earlier request to remove it was lost: the lock is not held any
	// more, but it is unknown whether it was held until this release.
	ErrUnsure = errors.New("the lock is gone, but it is unknown whether this release removed it")
)

// Outcome is the outcome of an Acquire or a Release.
type Outcome string

// The outcomes.
const (
	Succeeded Outcome = "succeeded" // the lock was acquired, or released
	TimedOut  Outcome = "timed out" // of an Acquire: it was taken for as long as it may wait
	Taken     Outcome = "taken"     // of a TryAcquire
	Cancelled Outcome = "cancelled" // the caller's context ended
	NotHeld   Outcome = "not held"  // of a Release
	Unsure    Outcome = "unsure"    // of a Release: ErrUnsure
	Failed    Outcome = "failed"    // anything else; the call may or may not have taken effect
)

// OutcomeOf returns the outcome of an Acquire or a Release that returned the error.
func OutcomeOf(err error) Outcome {
	switch {
	case err == nil:
		return Succeeded
	case errors.Is(err, ErrTimeout):
		return TimedOut
	case errors.Is(err, errCancelled):
		return Cancelled
	case errors.Is(err, lock.ErrNotAcquired):
		return Taken
	case errors.Is(err, lock.ErrNotHeld):
		return NotHeld
	case errors.Is(err, ErrUnsure):
		return Unsure
	}
	return Failed
}

// errCancelled marks the end of the caller's context.
var errCancelled = errors.New("cancelled")

// cancelled returns the error of an Acquire whose context has ended while none of its
// requests was under way.
func cancelled(ctx context.Context) error {
	return fmt.Errorf("%w: %w: %w", errCancelled, ctx.Err(), lock.ErrNotAcquired)
}
