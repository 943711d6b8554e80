package redislocks

import (
	grand "math/rand"
	"sync"
	"time"
)

// random is what a locker draws, for several goroutines: the generator of
// [Options] is for one at a time.
type random struct {
	mu      sync.Mutex // never held while anything is waited for
	options Options
}

func (o Options) random() *random { return &random{options: o} }

// pause draws a pause between two tries.
func (r *random) pause() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.options.sleep()
}

// draw draws a number from 0 to n-1.
func (r *random) draw(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.options.Rand == nil {
		return grand.Intn(n) // the global source that a simulation can seed
	}
	return r.options.Rand.IntN(n)
}
