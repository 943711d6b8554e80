package lock

import "context"

// A Latch is closed until it has been counted down to zero. It belongs to one
// client process and is safe for concurrent use. A latch that nobody has set
// is open.
type Latch interface {
	// TrySet closes the latch until so many have counted it down, and answers
	// true; if it is closed already it answers false and changes nothing. The
	// count is at least 1. After an error it may or may not have been set.
	TrySet(ctx context.Context, count int) (bool, error)
	// CountDown counts one down. Of a latch that is open it does nothing.
	// After an error it may or may not have counted; to ask again is to count
	// again, unless [WithOwner] says who counts: each owner counts once.
	CountDown(ctx context.Context) error
	// Count is how many were missing a moment ago, 0 if it is open.
	Count(ctx context.Context) (int, error)
	// Wait blocks until the latch is open or ctx is done.
	Wait(ctx context.Context) error
}
