package goruntime

import (
	"math"
	"sync/atomic"
	"time"
)

// Alone reports that every other goroutine of the calling one's synctest bubble is durably blocked and no
// timer is due, so that synctest.Wait would return at once. It may also answer false where that is so, and
// always does so outside a bubble, in a build with the race detector, which learns from synctest.Wait what
// happened before, and before [Learn] was called.
func Alone() bool {
	if !bubbleReadable.Load() {
		return false
	}
	// A goroutine that blocks raises active, lowers running, and lowers active when it is blocked: in
	// the opposite order nothing is missed. None can begin to run but by one that does.
	b := readBubble()
	return b != nil && b.running() == 1 && b.active() == 0 && b.next() > b.now()
}

// NextTimer returns the time before which no timer of the calling goroutine's bubble fires; one that was
// stopped may count. It is far away if there is no timer. Known is false where Alone always answers false.
func NextTimer() (at time.Time, known bool) {
	if !bubbleReadable.Load() {
		return at, false
	}
	b := readBubble()
	if b == nil {
		return at, false
	}
	return time.Unix(0, b.next()), true
}

// next returns the time before which no timer fires, in nanoseconds: see the runtime's timers.wakeTime.
func (b *bubble) next() int64 {
	modified, next := b.modifiedTimer(), b.firstTimer()
	if next == 0 || modified != 0 && modified < next {
		next = modified
	}
	if next == 0 {
		return math.MaxInt64
	}
	return next
}

// bubbleReadable reports whether the bubble's counters can be read.
var bubbleReadable atomic.Bool
