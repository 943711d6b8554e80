package sim

import (
	"runtime"
	"sync"
)

// startedBy maps the number of a goroutine to what tells it apart from others of its
// process: the number of the event that started the workload, or the function of a
// timer, that it is or was started by. There is one run at a time, and the map is
// cleared before each.
var startedBy sync.Map

// setStarter says which event has started the calling goroutine.
func setStarter(event int64) {
	startedBy.Store(me(), event)
}

// who tells the calling goroutine apart from others that do the same in one step, such
// as set a timer for the same duration. Emissions are sorted by it, and not by the
// order in which the scheduler let the goroutines run. Goroutines of one starter that
// have last failed on the same connection, or on none, have the same.
func who() int64 {
	g := me()
	name, known := startedBy.Load(g)
	if !known {
		if name, known = startedBy.Load(starter()); !known {
			name = int64(0)
		}
		startedBy.Store(g, name)
	}
	n := name.(int64)
	if on := FailedOn(); on != 0 {
		n = int64(hashUint(hashUint(fnvOffset, uint64(n)), uint64(on)) >> 1)
	}
	return n
}

// beganIn tells goroutines of one starter apart by the function that each began in.
// When its server refuses, a client's pool may dial for a caller and probe the server
// in the background at the same instant.
func beganIn() int64 {
	var room [64]uintptr
	frames := callers(room[:])
	const outermost = 2 // runtime.goexit and the function before it
	frame, _ := runtime.CallersFrames(frames[max(0, len(frames)-outermost):]).Next()
	return int64(hashString(fnvOffset, frame.Function) >> 1)
}

// lastFailed maps the number of a goroutine to what it has last failed on. It is
// cleared before each run.
var lastFailed sync.Map

// FailedOn identifies the last failure of the calling goroutine: a number, unique
// in the run, of the connection, or of the address that it could not reach; 0 if it
// has never failed. It distinguishes goroutines that are otherwise alike, such as
// two that use one client and go on at the same instant after a pause. A shared
// source of random numbers can then give each its own numbers, in whatever order
// they draw. See [Seeders].
func FailedOn() int64 {
	if n, ok := lastFailed.Load(me()); ok {
		return n.(int64)
	}
	return 0
}

// setFailedOn notes what the calling goroutine has failed on.
func setFailedOn(number int64) {
	lastFailed.Store(me(), number)
}

// keyOf tells goroutines of a process apart by what they are about, such as the address
// that they dial, and by what they have failed on before, 0 for nothing.
func keyOf(about string, failedOn int64) int64 {
	h := hashString(fnvOffset, about)
	if failedOn != 0 {
		h = hashUint(h, uint64(failedOn))
	}
	return int64(h >> 1)
}
