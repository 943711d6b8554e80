package realserver

import (
	"runtime"
	"testing"
	"time"
)

// Settled waits until no more goroutines than before are left, and fails the test after two seconds. The clients of real
// servers end by themselves, soon after they are closed.
func Settled(t testing.TB, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	stacks := make([]byte, 64<<10)
	t.Errorf("%d goroutines are left:\n%s", runtime.NumGoroutine()-before, stacks[:runtime.Stack(stacks, true)])
}
