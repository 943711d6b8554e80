package redislocks

import (
	grand "math/rand"
	"sync"
	"time"
)

// pauses are those of [Options], for several goroutines: a generator is for
// one at a time.
func (o Options) pauses() func() time.Duration {
	var mu sync.Mutex
	return func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return o.sleep()
	}
}

// draws are numbers from 0 to n-1 from the source of [Options], for several
// goroutines.
func (o Options) draws() func(n int) int {
	if o.Rand == nil {
		return grand.Intn // the global source that a simulation can seed
	}
	var mu sync.Mutex
	return func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return o.Rand.IntN(n)
	}
}
