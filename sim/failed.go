package sim

import "sync"

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

// turned is how often a goroutine has asked for its turn, by its own number.
var turned sync.Map

// oftenTurned counts the calling goroutine's requests for a turn.
func oftenTurned() uint64 {
	me := goroutine()
	before, _ := turned.Load(me)
	n, _ := before.(uint64)
	turned.Store(me, n+1)
	return n
}

// failedOn notes that the calling goroutine has failed.
func failedOn(number int64) {
	me := goroutine()
	failed.Store(me, number)
}
