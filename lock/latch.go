package lock

import "context"

// A Latch is closed until it has been counted down to zero. It belongs to one
// client process and is safe for concurrent use. A latch that was never set is
// open.
type Latch interface {
	// TrySet closes the latch for the given count and returns true; if it is closed
	// already it returns false and changes nothing. The count is at least 1. After
	// an error the latch may or may not have been set.
	TrySet(ctx context.Context, count int) (bool, error)
	// CountDown lowers the count by one. It does nothing to an open latch. After an
	// error it may or may not have counted; another call counts again, unless
	// [WithOwner] names the owner: each owner counts once.
	CountDown(ctx context.Context) error
	// Count returns the count a moment ago, 0 if the latch is open.
	Count(ctx context.Context) (int, error)
	// Wait blocks until the latch is open or ctx is done.
	Wait(ctx context.Context) error
}
