package lock

import "context"

// A Barrier blocks its callers until all of its parties have arrived, lets them go,
// and begins the next generation. It belongs to one client process and is safe for
// concurrent use.
type Barrier interface {
	// Await waits for the other parties, and returns the generation that the caller
	// belongs to, from 0. If ctx is done first, the caller is withdrawn: the others
	// wait for another in its place. After any other error, such as an unreachable
	// store, the caller may still count.
	Await(ctx context.Context) (generation int64, err error)
}
