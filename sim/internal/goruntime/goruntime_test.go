package goruntime

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestReadable: with the releases of Go that this module is developed with, all is read. If a new release
// fails this test, layout.go wants its places; until then all works, by the slow way.
func TestReadable(t *testing.T) {
	if !numberReadable {
		t.Error("this Go keeps a goroutine's number where goid does not look for it: a newer goid, or runs are slow")
	}
	if !layoutKnown {
		t.Skip("the layout of this release is not known, or this is another architecture")
	}
	Learn()
	if !parentReadable || framesReadable != framesKnown || bubbleReadable.Load() == raceEnabled {
		t.Errorf("readable: the parent %t, frames %t, the bubble %t", parentReadable, framesReadable, bubbleReadable.Load())
	}
}

// TestNumber: a goroutine's number is the one that the runtime prints, wherever it asks, and no
// other goroutine has it.
func TestNumber(t *testing.T) {
	asking := map[string]func(ask func()){
		"at once":        func(ask func()) { ask() },
		"from far below": func(ask func()) { below(300, ask) },
		"as it panics": func(ask func()) {
			defer func() { _ = recover() }()
			defer ask()
			panic("on purpose")
		},
	}
	var seen sync.Map
	for where, asks := range asking {
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				asks(func() {
					if got, want := Number(), printedNumber(); got != want {
						t.Errorf("%s: it is goroutine %d, want %d", where, got, want)
					}
					if _, taken := seen.LoadOrStore(Number(), true); taken {
						t.Errorf("%s: two goroutines have the number %d", where, Number())
					}
				})
			})
		}
		all.Wait()
	}
}

func below(frames int, f func()) {
	if frames == 0 {
		f()
		return
	}
	below(frames-1, f)
}

// TestPrinted: what is read is what is printed, in goroutines of several generations.
func TestPrinted(t *testing.T) {
	type who struct{ number, parent uint64 }
	told := make(chan [2]who)
	var start func(generations int)
	start = func(generations int) {
		go func() {
			told <- [2]who{{Number(), Parent()}, {printedNumber(), printedParent()}}
			if generations > 1 {
				start(generations - 1)
			}
		}()
	}
	start(5)
	parent := Number()
	for range 5 {
		w := <-told
		if w[0] != w[1] || w[0].parent != parent {
			t.Errorf("read %+v, printed %+v, started by %d", w[0], w[1], parent)
		}
		parent = w[0].number
	}
}

// TestAlone: a goroutine is alone if and only if all others of its bubble are blocked: on a channel, in a
// sleep, in a select.
func TestAlone(t *testing.T) {
	if Alone() {
		t.Error("alone outside a bubble")
	}
	Learn()
	synctest.Test(t, func(t *testing.T) {
		end, never := make(chan bool), make(chan bool)
		var spin atomic.Bool
		for _, f := range []func(){
			func() { <-end },
			func() { time.Sleep(time.Second) },
			func() {
				select {
				case <-end:
				case <-never:
				}
			},
			func() {
				for spin.Load() {
					continue
				}
				<-end
			},
		} {
			spin.Store(true)
			go f()
			if Alone() {
				t.Error("alone beside one that has just begun")
			}
			spin.Store(false)
			synctest.Wait()
			if Alone() != bubbleReadable.Load() {
				t.Errorf("alone: %t", Alone())
			}
		}
		close(end)
		if Alone() {
			t.Error("alone beside some that have just been woken")
		}
		time.Sleep(2 * time.Second) // until the sleeper has ended
	})
	if Alone() {
		t.Error("alone after the bubble")
	}
}

// TestNextTimer: the next timer is known while others are set, stopped and moved, and one that is due keeps
// its bubble from being at rest.
func TestNextTimer(t *testing.T) {
	Learn()
	if _, known := NextTimer(); known {
		t.Error("a timer outside a bubble")
	}
	synctest.Test(t, func(t *testing.T) {
		if _, known := NextTimer(); known != bubbleReadable.Load() {
			t.Fatalf("known: %t", known)
		} else if !known {
			return
		}
		begin := time.Now()
		expect := func(what string, want time.Duration) {
			t.Helper()
			if next, _ := NextTimer(); next.Sub(begin) != want {
				t.Errorf("%s: the next timer is at %v, want %v", what, next.Sub(begin), want)
			}
		}
		if next, _ := NextTimer(); next.Sub(begin) < 100*365*24*time.Hour {
			t.Errorf("without a timer there is one at %v", next)
		}
		fired := make(chan bool, 2)
		late := time.AfterFunc(time.Hour, func() { fired <- true })
		expect("one", time.Hour)
		early := time.AfterFunc(time.Minute, func() { fired <- true })
		expect("an earlier one", time.Minute)
		late.Reset(time.Second)
		expect("one that has moved", time.Second)
		<-fired
		expect("the first has fired", time.Minute)
		early.Stop()
		go func() {
			time.Sleep(time.Second)
			fired <- true
		}()
		synctest.Wait()
		expect("a sleeper", 2*time.Second)
		<-fired
		time.AfterFunc(0, func() { fired <- true })
		if Alone() {
			t.Error("alone with a timer that is due")
		}
		if synctest.Wait(); !Alone() || len(fired) != 1 {
			t.Errorf("the timer that was due has fired %d times", len(fired))
		}
	})
}

// TestStack: a stack is known by its return addresses, wherever the goroutine's memory is.
func TestStack(t *testing.T) {
	if !framesKnown {
		if _, readable := Stack(); readable {
			t.Error("a stack is read in an unknown layout")
		}
		return
	}
	at := map[uint64]int{}
	for range 3 {
		for frames := range 300 {
			below(frames, func() {
				hash, readable := Stack()
				if !readable {
					t.Fatalf("%d frames cannot be read", frames)
				}
				at[hash]++
			})
		}
	}
	if len(at) != 300 {
		t.Errorf("300 stacks are %d", len(at))
	}
	below(maxFrames, func() {
		if _, readable := Stack(); readable {
			t.Error("too many frames are read")
		}
	})
}

// TestAloneIsTrue: whoever finds itself alone sees all that the others have done.
func TestAloneIsTrue(t *testing.T) {
	Learn()
	synctest.Test(t, func(t *testing.T) {
		alone := 0
		for range 2000 {
			done, wake := 0, make(chan bool)
			for range 3 {
				go func() {
					done++ // one at a time: see below
					<-wake
				}()
				for !Alone() {
					if runtime.Gosched(); !bubbleReadable.Load() {
						synctest.Wait()
						break
					}
				}
				alone++
			}
			if done != 3 {
				t.Fatalf("alone, and %d of 3 have run", done)
			}
			close(wake)
			synctest.Wait()
		}
		if alone != 6000 {
			t.Errorf("alone %d times", alone)
		}
	})
}

func BenchmarkNumber(b *testing.B) {
	for b.Loop() {
		Number()
	}
}

func BenchmarkParent(b *testing.B) {
	for b.Loop() {
		Parent()
	}
}

func BenchmarkPrintedParent(b *testing.B) {
	for b.Loop() {
		printedParent()
	}
}
