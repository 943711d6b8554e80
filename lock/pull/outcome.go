package pull

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/lock"
)

var (
	// ErrTimeout is what Acquire returns, wrapped, when it has waited for as long
	// as it may and the lock was taken each time that it asked. It is
	// lock.ErrNotAcquired as well.
	ErrTimeout = fmt.Errorf("timed out: %w", lock.ErrNotAcquired)
	// ErrTooLate is what Acquire and Extend return, wrapped, when the validity
	// that they were given had passed by the time that they knew. The record has
	// been removed, or that was tried and the error says why not.
	ErrTooLate = errors.New("the validity had passed before the answer came")
	// ErrUnsure is what Release returns, wrapped, when the record is gone and the
	// answer to an earlier request for that was lost: the lock is not held any
	// more, and whether it was until this release cannot be told.
	ErrUnsure = errors.New("the lock is gone, by this release or before")
)

// Outcome is what came of an Acquire or a Release, in a word.
type Outcome string

// The outcomes.
const (
	Succeeded Outcome = "succeeded" // the lock was acquired, or released
	TimedOut  Outcome = "timed out" // of an Acquire: it was taken for as long as it may wait
	Taken     Outcome = "taken"     // of a TryAcquire
	Cancelled Outcome = "cancelled" // the caller's context ended
	NotHeld   Outcome = "not held"  // of a Release
	Unsure    Outcome = "unsure"    // of a Release: ErrUnsure
	Failed    Outcome = "failed"    // anything else; it may or may not have been done
)

// OutcomeOf is the outcome that an error of Acquire or Release stands for.
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

// cancelled is the error of an Acquire whose context has ended while none of its
// requests was under way.
func cancelled(ctx context.Context) error {
	return fmt.Errorf("%w: %w: %w", errCancelled, ctx.Err(), lock.ErrNotAcquired)
}
