package pauses

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// TestPause: several goroutines draw pauses from one source, which the race detector sees,
// and pauses keep to their range.
func TestPause(t *testing.T) {
	o := New(time.Second, time.Second, nil, rand.New(rand.NewPCG(1, 2)))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				if d := o.length(); d < time.Second || d >= 2*time.Second {
					t.Errorf("a pause of %v", d)
				}
			}
		})
	}
	group.Wait()
}
