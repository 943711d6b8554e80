package goruntime

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Learn compares, in a bubble of its own, what is read of a bubble with what is known of it, such as its
// present time. It is called outside a bubble. After the first call it does nothing.
var Learn = sync.OnceFunc(func() {
	if !layoutKnown || raceEnabled || !noneOutside {
		return
	}
	over := make(chan bool)
	go func() { // which ends if the test fails
		defer close(over)
		defer func() { _ = recover() }() // no bubble can be made: whoever needs one will say so
		synctest.Test(new(testing.T), func(*testing.T) {
			b := readBubble()
			bubbleReadable.Store(b != nil && b.now() == time.Now().UnixNano() && countersShow(b) && timersShow(b))
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
