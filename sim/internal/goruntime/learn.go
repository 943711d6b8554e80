package goruntime

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Learn compares, in a bubble of its own, what is read of a bubble with what is known of it, such as its
// present time. It is called outside a bubble. After the first call it does nothing.
var Learn = sync.OnceFunc(func() {
	if !layoutKnown || !noneOutside {
		return
	}
	over := make(chan bool)
	go func() { // which ends if the test fails
		defer close(over)
		defer func() { _ = recover() }() // no bubble can be made: the code that needs one reports that
		synctest.Test(new(testing.T), func(*testing.T) {
			b := readBubble()
			if b == nil || b.now() != time.Now().UnixNano() {
				return
			}
			bubbleReadable.Store(!raceEnabled && countersShow(b) && timersShow(b))
			timersWritable.Store(DrawsKnown && ranksShow(b))
		})
	}()
	<-over
})

// noneOutside reports whether a goroutine outside a bubble, such as the one that the program begins with, is
// read to have none.
var noneOutside = readBubble() == nil

// countersShow reports whether the counters are what they should be with other goroutines that run and that
// are blocked.
func countersShow(b *bubble) bool {
	synctest.Wait()
	if b.running() != 1 || b.active() != 0 {
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

// timersShow reports whether the next timer is read, a new one as well as one that is moved.
func timersShow(b *bubble) bool {
	now, others := b.now(), b.next()
	fired := make(chan bool)
	t := time.AfterFunc(time.Second, func() { fired <- true })
	first := b.next()
	t.Reset(time.Millisecond)
	moved := b.next()
	time.Sleep(time.Microsecond)
	later := b.now()
	<-fired
	return others > now+int64(time.Second) && first == now+int64(time.Second) && moved == now+int64(time.Millisecond) &&
		later == now+int64(time.Microsecond) && b.now() == moved && b.next() == others
}

// ranksShow reports whether timers are read, with the numbers that the runtime draws for them.
func ranksShow(b *bubble) bool {
	runtime.LockOSThread() // which has the draws
	defer runtime.UnlockOSThread()
	for n := range 3 {
		after := time.Duration(n+1) * time.Hour
		due, state := time.Now().Add(after).UnixNano(), *readM().cheap
		defer time.AfterFunc(after, func() {}).Stop()
		i := slices.IndexFunc(b.heap(), func(q queuedTimer) bool { return q.when == due })
		if i < 0 || *periodOf(b.heap()[i].timer) != 0 {
			return false
		}
		rank, drawn := *rankOf(b.heap()[i].timer), false
		for range 100 {
			state += cheapStep
			drawn = drawn || cheapDraw(state) == rank
		}
		if !drawn {
			return false
		}
	}
	return true
}
