package redislocks

import (
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
