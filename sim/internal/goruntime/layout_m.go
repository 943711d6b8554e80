//go:build go1.26 && !go1.27 && (amd64 || arm64) && !unreadable

package goruntime

import (
	"runtime"
	"unsafe"
)

const mOfG = 48 // the place of m in g

// placesOfM are the places of fields of the runtime's structure m (runtime2.go) of Go 1.26, in bytes, by GOOS and
// GOARCH: what an operating system needs lies before them. A test compares them with the runtime's source.
var placesOfM = map[string]struct{ profileHz, pcCache, chacha8, cheap uintptr }{
	"linux/amd64":   {272, 920, 1336, 1640},
	"linux/arm64":   {272, 920, 1336, 1640},
	"darwin/amd64":  {272, 920, 1448, 1752},
	"darwin/arm64":  {272, 920, 1448, 1752},
	"windows/amd64": {224, 920, 1424, 1728},
	"windows/arm64": {224, 920, 1424, 1728},
}

// here are the places for this system, if they are known.
var here, mKnown = placesOfM[runtime.GOOS+"/"+runtime.GOARCH]

// readM returns the structure of the calling goroutine's thread.
//
//go:norace
func readM() thread {
	m := *(*unsafe.Pointer)(unsafe.Add(g(), mOfG))
	return thread{
		cheap:     (*uint64)(unsafe.Add(m, here.cheap)),
		chacha8:   (*chacha8)(unsafe.Add(m, here.chacha8)),
		pcs:       (*pcCache)(unsafe.Add(m, here.pcCache)),
		profileHz: (*int32)(unsafe.Add(m, here.profileHz)),
	}
}

// Places in the runtime's structures synctestBubble and timer (time.go) of Go 1.26, in bytes.
const (
	heapOfBubble  = 16 // timers.heap
	isChanOfTimer = 10
	rankOfTimer   = 16 // rand
	periodOfTimer = 32
	argOfTimer    = 48
)

//go:norace
func (b *bubble) heap() []queuedTimer {
	return *(*[]queuedTimer)(unsafe.Add(unsafe.Pointer(b), heapOfBubble))
}

// rankOf returns the number by which a timer goes before another of its instant.
func rankOf(timer unsafe.Pointer) *uint32 { return (*uint32)(unsafe.Add(timer, rankOfTimer)) }

// channelOf returns the address of a timer's channel, 0 if it has none.
func channelOf(timer unsafe.Pointer) uintptr {
	if !*(*bool)(unsafe.Add(timer, isChanOfTimer)) {
		return 0
	}
	return *(*uintptr)(unsafe.Add(timer, argOfTimer+unsafe.Sizeof(timer)))
}

// periodOf returns the time between two ticks, 0 for a timer that fires once.
func periodOf(timer unsafe.Pointer) *int64 { return (*int64)(unsafe.Add(timer, periodOfTimer)) }
