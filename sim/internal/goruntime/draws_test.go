package goruntime

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestDrawsKnown: where the places are known, they are right.
func TestDrawsKnown(t *testing.T) {
	if DrawsKnown != mKnown {
		t.Errorf("the draws are known: %t, want %t", DrawsKnown, mKnown)
	}
}

// TestDraws: the same seed gives the same numbers, maps and selects, another seed other numbers, and selects take the first
// ready case of the source or the last.
func TestDraws(t *testing.T) {
	if !DrawsKnown {
		t.Skip("what the runtime draws is not known here")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a thread draws when the collector preempts its goroutine
	var d Draws
	defer d.End()
	var seen []uint64
	for _, seed := range []uint64{1, 1, 2} {
		d.Set(seed, Orders{})
		seen = append(seen, rand.Uint64())
	}
	if seen[0] != seen[1] || seen[0] == seen[2] {
		t.Errorf("drawn: %x, want the same twice and then another", seen)
	}
	wrong := 0 // a thread also draws when the system keeps it waiting, and its goroutine is preempted
	for range 100 {
		for _, reversed := range []bool{false, true} {
			d.Set(1, Orders{Reversed: reversed})
			if got := ready(); got == 0 == reversed {
				wrong++
			}
		}
	}
	if wrong > 10 {
		t.Errorf("%d of 200 selects were not in their order", wrong)
	}
}

// TestStacksDrawNothing: a stack that is walked, or grows, leaves no mark on the draws, and does after the end.
func TestStacksDrawNothing(t *testing.T) {
	if !DrawsKnown {
		t.Skip("what the runtime draws is not known here")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var d Draws
	for _, ended := range []bool{false, true} {
		if d.Set(1, Orders{}); ended {
			d.End()
		}
		before := *readM().cheap
		walk(10)
		if drawn := *readM().cheap != before; drawn != ended {
			t.Errorf("after the end %t: drawn %t", ended, drawn)
		}
	}
}

// walk has the stack of the calling goroutine grow, and walks it.
//
//go:noinline
func walk(calls int) {
	var frame [4 << 10]uintptr
	if calls > 0 {
		walk(calls - 1)
	}
	runtime.Callers(0, frame[:])
}

// ready is the case that a select takes of four that are ready.
func ready() int {
	var c [4]chan int
	for i := range c {
		c[i] = make(chan int, 1)
		c[i] <- i
	}
	select {
	case n := <-c[0]:
		return n
	case n := <-c[1]:
		return n
	case n := <-c[2]:
		return n
	case n := <-c[3]:
		return n
	}
}

// TestUndrawn: what is drawn in between leaves no mark.
func TestUndrawn(t *testing.T) {
	if !DrawsKnown {
		t.Skip("what the runtime draws is not known here")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := *readM().cheap
	restore := Undrawn()
	ready()
	restore()
	if *readM().cheap != before {
		t.Error("the state has changed")
	}
}

// TestStates: the draws of the states that are set are low or high, and never multiples of 1,024.
func TestStates(t *testing.T) {
	for _, state := range []uint64{sourceOrder, reverseOrder} {
		for n := uint64(1); n <= quietDraws; n++ {
			d := cheapDraw(state + n*cheapStep)
			if d&1023 == 0 {
				t.Errorf("draw %d of %x is a multiple of 1,024", n, state)
			}
			if high := d>>31 == 1; n <= orderedDraws && high != (state == reverseOrder) {
				t.Errorf("draw %d of %x is %x", n, state, d)
			}
		}
	}
}
