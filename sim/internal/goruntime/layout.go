//go:build go1.26 && !go1.27 && (amd64 || arm64 || wasm) && !unreadable

package goruntime

import (
	"sync/atomic"
	"unsafe"
)

// layoutKnown reports whether the places below are known for this release of Go.
const layoutKnown = true

// Places in the runtime's structures g (runtime2.go) and synctestBubble (synctest.go) of Go 1.26, in bytes.
const (
	numberOfG = 152 // goid, for which package goid is asked elsewhere
	parentOfG = 280 // parentGoid
	bubbleOfG = 392 // bubble

	firstOfBubble    = 56 // timers.minWhenHeap
	modifiedOfBubble = 64 // timers.minWhenModified

	nowOfBubble     = 80
	totalOfBubble   = 120
	runningOfBubble = 128
	activeOfBubble  = 136
)

// g returns the runtime's structure of the calling goroutine.
func g() unsafe.Pointer

func readParent() uint64 { return *(*uint64)(unsafe.Add(g(), parentOfG)) }

// bubble is the runtime's structure of a bubble. Its lock is not held: each counter is read by itself.
type bubble struct{}

// readBubble returns the bubble of the calling goroutine, nil outside one.
func readBubble() *bubble { return *(**bubble)(unsafe.Add(g(), bubbleOfG)) }

func (b *bubble) at(place uintptr) int64 {
	return atomic.LoadInt64((*int64)(unsafe.Add(unsafe.Pointer(b), place)))
}

// firstTimer returns when the first timer fires of those whose time has not been changed, and modifiedTimer a
// time before which none of the others does; 0 if there is none.
func (b *bubble) firstTimer() int64    { return b.at(firstOfBubble) }
func (b *bubble) modifiedTimer() int64 { return b.at(modifiedOfBubble) }

func (b *bubble) now() int64     { return b.at(nowOfBubble) }
func (b *bubble) total() int64   { return b.at(totalOfBubble) }
func (b *bubble) running() int64 { return b.at(runningOfBubble) }
func (b *bubble) active() int64  { return b.at(activeOfBubble) }
