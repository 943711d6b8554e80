package sim

import (
	"runtime"
	"sync"
)

// startedBy has what tells goroutines of a process apart, by their own numbers: the
// number of the event that has started a workload or the function of a timer. A
// goroutine that code under test has started has that of its starter. There is one
// run at a time, and each begins without.
var startedBy sync.Map

// startedAt says which event has started the calling goroutine.
func startedAt(event int64) {
	me := goroutine()
	startedBy.Store(me, event)
}

// who tells the calling goroutine from others that do the same in one step, such as
// to set a timer for the same duration: they are sorted by it, since in which order
// they came is for the scheduler to say. Goroutines of the same starter that have
// failed on the same connection, or on none, have the same.
func who() int64 {
	me := goroutine()
	name, known := startedBy.Load(me)
	if !known {
		if name, known = startedBy.Load(starter()); !known {
			name = int64(0)
		}
		startedBy.Store(me, name)
	}
	n := name.(int64)
	if on, failedToo := failed.Load(me); failedToo {
		n = int64(hashUint(hashUint(fnvOffset, uint64(n)), uint64(on.(int64))) >> 1)
	}
	return n
}

// beganIn tells apart goroutines that [who] does not: by the function that each began
// in. A pool that looks in the background whether its server is back, and that
// dials for whoever asks, does both at once when the server refuses.
func beganIn() int64 {
	var room [64]uintptr
	frames := callers(room[:])
	const outermost = 2 // runtime.goexit and the function before it
	frame, _ := runtime.CallersFrames(frames[max(0, len(frames)-outermost):]).Next()
	return int64(hashString(fnvOffset, frame.Function) >> 1)
}

// failed has the number of the connection on which a goroutine has last failed, by
// the goroutine's own number. There is one run at a time, and each begins without.
var failed sync.Map

// FailedOn is what tells two goroutines of a process apart that nothing else does,
// such as two that use one client and go on at the same instant after a pause: a
// number, unique in the run, for the connection on which the calling goroutine has
// last failed, or one for each address that it has not reached; 0 if it never has. A source of random
// numbers that goroutines share can give each the same numbers then, whichever
// comes first. See [Seeders].
func FailedOn() int64 {
	me := goroutine()
	if n, ok := failed.Load(me); ok {
		return n.(int64)
	}
	return 0
}

// failedOn notes that the calling goroutine has failed.
func failedOn(number int64) {
	me := goroutine()
	failed.Store(me, number)
}
