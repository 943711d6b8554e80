package goruntime

import (
	"cmp"
	"slices"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
)

// TestTimers: timers of one instant go in the order of the steps that began them, within a step by when they were due, and
// reversed ones behind the others, the last first; whatever the runtime draws for them.
func TestTimers(t *testing.T) {
	Learn()
	if timersWritable.Load() != DrawsKnown {
		t.Fatalf("the timers are written: %t, want %t", timersWritable.Load(), DrawsKnown)
	}
	if !DrawsKnown {
		t.Skip("what the runtime draws is not known here")
	}
	for range 20 {
		synctest.Test(t, func(*testing.T) {
			var timers Timers
			names := map[unsafe.Pointer]string{}
			after := func(n int, name string) *time.Timer {
				timer := time.AfterFunc(time.Duration(n)*time.Second, func() {})
				for _, q := range readBubble().heap() {
					if names[q.timer] == "" {
						names[q.timer] = name
					}
				}
				return timer
			}
			for n, name := range []string{"a", "b", "c", "d"} {
				later, _ := after(10, name+"'"), after(9, name)
				timers.Order(n%2 == 1)
				later.Reset(9 * time.Second) // moved, and not begun again
				timers.Order(n%2 == 0)
			}
			after(1, "first")
			timers.Order(false)
			time.Sleep(2 * time.Second)
			heap := readBubble().heap()
			less := func(a, b queuedTimer) int {
				return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(*rankOf(a.timer), *rankOf(b.timer)))
			}
			for i, q := range heap {
				if less(heap[max(i-1, 0)/4], q) > 0 {
					t.Errorf("the heap is out of order at %d", i)
				}
			}
			slices.SortFunc(heap, func(a, b queuedTimer) int { return cmp.Compare(*rankOf(a.timer), *rankOf(b.timer)) })
			var got []string
			for _, q := range heap {
				got = append(got, names[q.timer])
			}
			if want := []string{"a", "a'", "c", "c'", "d'", "d", "b'", "b"}; !slices.Equal(got, want) {
				t.Errorf("the timers go in the order %v, want %v", got, want)
			}
		})
	}
}
