package goruntime

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"
)

// TestMoved: what a goroutine draws on the thread to which a system call has moved it is set, unless much has been drawn there before.
func TestMoved(t *testing.T) {
	if !DrawsKnown || Exact() {
		t.Skip("the places are not known here, or draws are not a thread's")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var d Draws
	defer d.End()
	const tries = 20
	moved, selects, numbers := 0, 0, 0
	for n := range uint64(tries) {
		ended := make(chan bool)
		go func() { // takes the processor over
			for start := time.Now(); time.Since(start) < 50*time.Millisecond; {
			}
			close(ended)
		}()
		d.Set(n, Orders{Reversed: n%2 == 1})
		before := readM()
		_ = syscall.Nanosleep(&syscall.Timespec{Nsec: 25e6}, nil)
		if readM() != before {
			moved++
			if ready() != 3*int(n%2) {
				selects++
			}
			if got := rand.Uint64(); !raceEnabled { // the scheduler of the race build draws numbers
				if d.Set(n, Orders{}); got != rand.Uint64() {
					numbers++
				}
			}
		}
		<-ended
	}
	if moved == 0 || selects > moved/4 || numbers > moved/4 {
		t.Errorf("moved %d of %d times; then %d selects and %d numbers differ", moved, tries, selects, numbers)
	}
}
