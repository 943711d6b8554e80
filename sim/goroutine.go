package sim

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"

	"github.com/petermattis/goid"
)

// gid is the number of a goroutine, unique in the process.
type gid uint64

// me is the number of the calling goroutine.
func me() gid {
	if readable {
		return gid(goid.Get())
	}
	return printed()
}

// readable reports whether the number can be read from the runtime's memory. Its place there
// is goid's knowledge of Go's releases, so it is compared with what the runtime prints.
// Printing takes as long as serving a request.
var readable = func() bool {
	other := make(chan bool)
	go func() { other <- gid(goid.Get()) == printed() }()
	return gid(goid.Get()) == printed() && <-other
}()

// printed is me, from a stack trace.
func printed() gid {
	trace := make([]byte, 64)
	trace = trace[:runtime.Stack(trace, false)]
	return leadingNumber(bytes.TrimPrefix(trace, []byte("goroutine ")))
}

// traceRooms have room for a trace, which has no more than a hundred frames.
var traceRooms = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// starter is the number of the goroutine that has started the calling one, 0 if the stack
// trace does not say.
func starter() gid {
	room := traceRooms.Get().(*[64 << 10]byte)
	defer traceRooms.Put(room)
	trace := room[:runtime.Stack(room[:], false)]
	mark := []byte(" in goroutine ")
	i := bytes.LastIndex(trace, mark)
	if i < 0 {
		return 0
	}
	return leadingNumber(trace[i+len(mark):])
}

// leadingNumber is the decimal number that the text begins with, 0 if there is none.
func leadingNumber(text []byte) gid {
	end := 0
	for end < len(text) && '0' <= text[end] && text[end] <= '9' {
		end++
	}
	n, _ := strconv.ParseUint(string(text[:end]), 10, 64)
	return gid(n)
}

// callers are the frames of the caller's stack. They are in room if it is large enough.
func callers(room []uintptr) []uintptr {
	n := runtime.Callers(2, room)
	for n == len(room) {
		room = make([]uintptr, 2*len(room))
		n = runtime.Callers(2, room)
	}
	return room[:n]
}
