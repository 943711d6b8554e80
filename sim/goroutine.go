package sim

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// The runtime tells the number of a goroutine only in a stack trace, and printing one
// takes as long as serving a request. Most callers are workloads. So a workload is
// recognized by the outermost frames of its stack, which nest has put there, and its
// number is read from a trace once.

// workloadGoroutines are the numbers of the goroutines of the run's first workloads.
// There is one run at a time.
var workloadGoroutines [64]atomic.Uint64

// asWorkload calls f in the goroutine of the run's workload with that index.
func asWorkload(index int, f func()) {
	if index >= len(workloadGoroutines) {
		f()
		return
	}
	workloadGoroutines[index].Store(printedNumber())
	nest(index, f)
}

// nest calls f from depth+1 frames of its own.
//
//go:noinline
func nest(depth int, f func()) {
	if depth > 0 {
		nest(depth-1, f)
		return
	}
	f()
}

// nested has the program counters at which nest calls itself, and at which it calls f.
var nested = sync.OnceValue(func() (calls struct{ itself, f uintptr }) {
	nest(1, func() {
		const callersAndThis = 2
		var frames [2]uintptr
		runtime.Callers(callersAndThis, frames[:])
		calls.f, calls.itself = frames[0], frames[1]
	})
	return calls
})

// workload is the index of the workload that the calling goroutine is, if it is one.
func workload() (index int, ok bool) {
	var room [64]uintptr
	frames := callers(room[:])
	calls := nested()
	i := slices.Index(frames, calls.f)
	if i < 0 {
		return 0, false
	}
	for i++; i < len(frames) && frames[i] == calls.itself; i++ {
		index++
	}
	return index, true
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

// goroutine is the number of the calling goroutine.
func goroutine() uint64 {
	if index, ok := workload(); ok {
		return workloadGoroutines[index].Load()
	}
	return printedNumber()
}

// isGoroutine reports whether the calling goroutine has that number. It reads a trace only
// if neither of the two is a workload.
func isGoroutine(number uint64) bool {
	if index, ok := workload(); ok {
		return workloadGoroutines[index].Load() == number
	}
	for i := range workloadGoroutines {
		if workloadGoroutines[i].Load() == number {
			return false
		}
	}
	return printedNumber() == number
}

// self is the calling goroutine, identified once for several questions about it.
type self struct {
	number  uint64
	starter uint64 // 0 if the trace does not say, or has not been read
}

// me identifies the calling goroutine.
func me() self {
	if index, ok := workload(); ok {
		return self{number: workloadGoroutines[index].Load()}
	}
	return printed()
}

// printedNumber is goroutine, from the stack trace.
func printedNumber() uint64 {
	trace := make([]byte, 64)
	trace = trace[:runtime.Stack(trace, false)]
	return leadingNumber(bytes.TrimPrefix(trace, []byte("goroutine ")))
}

// traceRooms have room for a trace, which has no more than a hundred frames.
var traceRooms = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// printed is me, from the stack trace.
func printed() self {
	room := traceRooms.Get().(*[64 << 10]byte)
	defer traceRooms.Put(room)
	trace := room[:runtime.Stack(room[:], false)]
	g := self{number: leadingNumber(bytes.TrimPrefix(trace, []byte("goroutine ")))}
	mark := []byte(" in goroutine ")
	if i := bytes.LastIndex(trace, mark); i >= 0 {
		g.starter = leadingNumber(trace[i+len(mark):])
	}
	return g
}

// starter is the number of the goroutine that has started the calling one, 0 if the
// trace does not say.
func starter() uint64 { return printed().starter }

// leadingNumber is the decimal number that the text begins with.
func leadingNumber(text []byte) uint64 {
	end := 0
	for end < len(text) && '0' <= text[end] && text[end] <= '9' {
		end++
	}
	n, _ := strconv.ParseUint(string(text[:end]), 10, 64) // 0 if there is none
	return n
}
