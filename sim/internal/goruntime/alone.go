package goruntime

import (
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"
)

// Alone reports that every other goroutine of the calling one's synctest bubble is durably blocked, so that
// synctest.Wait would return at once. It may also answer false where they are, and always does so outside a
// bubble, in a build with the race detector, which learns from synctest.Wait what happened before, and
// before [Learn] was called.
func Alone() bool {
	if !bubbleReadable.Load() {
		return false
	}
	// A goroutine that blocks raises active, lowers running, and lowers active when it is blocked: in
	// the opposite order nothing is missed. None can begin to run but by one that does.
	b := readBubble()
	return b != nil && b.running() == 1 && b.active() == 0
}

// bubbleReadable reports whether the bubble's counters can be read.
var bubbleReadable atomic.Bool

var learn sync.Once

// Learn compares what is read of the bubble that the calling goroutine is in with what is known of it, such
// as its present time. After the first call it does nothing.
func Learn(now time.Time) {
	learn.Do(func() { bubbleReadable.Store(layoutKnown && !raceEnabled && noneOutside && counts(now)) })
}

// noneOutside reports whether a goroutine outside a bubble, such as the one that the program begins with, is
// read to have none.
var noneOutside = readBubble() == nil

// counts reports whether the counters are what they should be with other goroutines that run and that are
// blocked.
func counts(now time.Time) bool {
	b := readBubble()
	synctest.Wait()
	if b == nil || b.now() != now.UnixNano() || b.running() != 1 || b.active() != 0 {
		return false
	}
	before, others := b.total(), 3
	var spin atomic.Bool
	end := make(chan bool)
	spin.Store(true)
	for range others {
		go func() {
			for spin.Load() {
				continue
			}
			<-end
		}()
	}
	right := b.running() == int64(1+others) && b.total() == before+int64(others)
	spin.Store(false)
	synctest.Wait()
	right = right && b.running() == 1 && b.active() == 0 && b.total() == before+int64(others)
	close(end)
	synctest.Wait()
	return right && b.running() == 1 && b.total() == before
}
