package sim

import "sync"

// startedBy has what tells goroutines of a process apart, by their own numbers: the
// number of the event that has started a workload or the function of a timer. A
// goroutine that code under test has started has that of its starter. There is one
// run at a time, and each begins without.
var startedBy sync.Map

// startedAt says which event has started the calling goroutine.
func startedAt(event int64) {
	me, _ := goroutine(false)
	startedBy.Store(me, event)
}

// who tells the calling goroutine from others that do the same in one step, such as
// to set a timer for the same duration: they are sorted by it, since in which order
// they came is for the scheduler to say. Goroutines of the same starter that have
// failed on the same connection, or on none, have the same.
func who() int64 {
	me, _ := goroutine(false)
	name, known := startedBy.Load(me)
	if !known {
		_, starter := goroutine(true)
		if name, known = startedBy.Load(starter); !known {
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
