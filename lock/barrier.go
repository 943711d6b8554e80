package lock

import "context"

// A Barrier holds those who come until there are as many as it is for, lets
// them all go, and begins again with the next generation. It belongs to one
// client process and is safe for concurrent use.
type Barrier interface {
	// Await waits for the others, and answers the generation that was complete
	// with us, counted from 0. If ctx is done first the caller is taken back:
	// the others go on waiting for somebody in its place. After any other
	// error, that of a store that cannot be reached, it may still count.
	Await(ctx context.Context) (generation int64, err error)
}
