package goruntime

import (
	"cmp"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Timers orders the timers of a bubble that are due at one instant. The runtime draws a number for each when it begins to wait for it, and
// for those of the channels of one select in the order of their addresses in memory, which differs from process to process. So these
// numbers are replaced: timers go in the order of the steps that began them, and those of one step by when they are due, by their periods, and
// in the order in which they were made, where that can be seen. What is alike in all keeps the order that the runtime has drawn.
type Timers struct {
	known []timerRank
	steps uint32
}

// queuedTimer is an element of a bubble's heap, the runtime's timerWhen.
type queuedTimer struct {
	timer unsafe.Pointer
	when  int64
}

// timerRank is a timer with the number that it was given.
type timerRank struct {
	timer unsafe.Pointer
	rank  uint32
}

// A step has so many numbers.
const ranksOfStep = 1 << 8

// timersWritable reports whether the places of timers are known, and show what the runtime does.
var timersWritable atomic.Bool

// Order gives their numbers to the timers that were begun since the last call. Reversed timers go behind those that are not, the later
// before the earlier. Every other goroutine of the bubble must be blocked.
//
//go:norace
func (t *Timers) Order(reversed bool) {
	if !timersWritable.Load() {
		return
	}
	heap := readBubble().heap()
	var fresh []queuedTimer
	for i, q := range heap {
		k := timerRank{q.timer, *rankOf(q.timer)}
		if (i >= len(t.known) || t.known[i] != k) && !slices.Contains(t.known, k) {
			fresh = append(fresh, q)
		}
	}
	if len(fresh) > 0 {
		t.number(fresh, reversed)
		list := sorted(heap)
		for i := range list { // by themselves: the race detector sees what package slices writes
			heap[i] = list[i].queuedTimer
		}
	}
	t.known = t.known[:0]
	for _, q := range heap {
		t.known = append(t.known, timerRank{q.timer, *rankOf(q.timer)})
	}
}

// rankedTimer is an element of the heap with what orders it.
type rankedTimer struct {
	queuedTimer
	rank   uint32
	period int64
}

// sorted returns a copy of timers in their order: by when they are due, and by their numbers. A list in order is a heap.
//
//go:norace
func sorted(timers []queuedTimer) []rankedTimer {
	list := make([]rankedTimer, len(timers))
	for i, q := range timers {
		list[i] = rankedTimer{queuedTimer: q, rank: *rankOf(q.timer)}
	}
	slices.SortFunc(list, func(a, b rankedTimer) int { return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.rank, b.rank)) })
	return list
}

// made compares when two timers with channels were made, 0 if that is not known. The runtime begins those of one select in the order of their
// channels' addresses. In a page of memory, of 8 KiB, things of one size are made one behind the other until garbage is collected. With
// the overlay the numbers say it.
//
//go:norace
func made(a, b unsafe.Pointer) int {
	const page = 13
	channels := [2]uintptr{channelOf(a), channelOf(b)}
	switch {
	case Exact() || channels[0] == 0 || channels[1] == 0:
		return 0
	case uintptr(a)>>page == uintptr(b)>>page:
		return cmp.Compare(uintptr(a), uintptr(b))
	case channels[0]>>page == channels[1]>>page:
		return cmp.Compare(channels[0], channels[1])
	}
	return 0
}

// number gives numbers to timers that one step has begun.
//
//go:norace
func (t *Timers) number(fresh []queuedTimer, reversed bool) {
	list := make([]rankedTimer, len(fresh))
	for i, q := range fresh {
		list[i] = rankedTimer{q, *rankOf(q.timer), *periodOf(q.timer)}
	}
	slices.SortFunc(list, func(a, b rankedTimer) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.period, b.period), made(a.timer, b.timer), cmp.Compare(a.rank, b.rank))
	})
	t.steps++
	for i, q := range list {
		rank := t.steps*ranksOfStep + min(uint32(i), ranksOfStep-1)
		if reversed {
			rank = ^rank
		}
		*rankOf(q.timer) = rank
	}
}
