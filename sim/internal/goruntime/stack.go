package goruntime

import (
	"runtime"
	"unsafe"
)

// maxFrames is more than the stacks of client libraries have.
const maxFrames = 512

// Stack identifies the calls that the calling goroutine is in, by a hash of their return addresses. It walks
// along the frame pointers, as the runtime does for its own profiles: [runtime.Callers] takes some thirty times
// as long. Readable is false where that is not possible.
func Stack() (hash uint64, readable bool) {
	if !framesReadable {
		return 0, false
	}
	hash = offset
	frame := framePointer()
	for range maxFrames {
		if frame == nil {
			return hash, true
		}
		hash = add(hash, returnAddress(frame))
		frame = *(*unsafe.Pointer)(frame)
	}
	return 0, false
}

// HashStack returns a hash of a stack that [runtime.Callers] has filled in.
func HashStack(stack []uintptr) uint64 {
	hash := uint64(offset)
	for _, pc := range stack {
		hash = add(hash, pc)
	}
	return hash
}

// The constants of FNV.
const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

func add(hash uint64, pc uintptr) uint64 {
	hash = (hash ^ uint64(pc)) * prime
	return hash ^ hash>>32
}

// returnAddress returns where the function goes on that has called the one of the frame.
func returnAddress(frame unsafe.Pointer) uintptr {
	return *(*uintptr)(unsafe.Add(frame, unsafe.Sizeof(uintptr(0))))
}

// framesReadable reports whether frame pointers lead along the return addresses that the runtime finds.
var framesReadable = framesKnown && apart(framesShow)

//go:noinline
func framesShow() bool {
	var room [64]uintptr
	found := room[:runtime.Callers(1, room[:])]
	frame := framePointer()
	for n := 0; frame != nil; n++ {
		// Between two return addresses the runtime also finds calls that were inlined.
		at := returnAddress(frame)
		for len(found) > 0 && found[0] != at {
			found = found[1:]
		}
		if len(found) == 0 || n == len(room) {
			return false
		}
		frame = *(*unsafe.Pointer)(frame)
	}
	return len(found) == 1 // what has started the goroutine
}
