package polling

import (
	grand "math/rand"
	"sync"
	"time"
)

// Random is a locker's random source, safe for concurrent use: the generator of
// [Options] is for one at a time.
type Random struct {
	mu      sync.Mutex // never held while anything is waited for
	options Options
}

// Random returns the random source of a locker with these options.
func (o Options) Random() *Random { return &Random{options: o} }

// Pause draws a pause between two tries.
func (r *Random) Pause() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.options.sleep()
}

// Draw draws a number from 0 to n-1.
func (r *Random) Draw(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.options.Rand == nil {
		return grand.Intn(n) // the global source that a simulation can seed
	}
	return r.options.Rand.IntN(n)
}
