package goruntime

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
)

// Number returns the number of the calling goroutine, unique in the process.
func Number() uint64 {
	if numberReadable {
		return readNumber()
	}
	return printedNumber()
}

// Parent returns the number of the goroutine that has started the calling one, 0 if the runtime does not know.
func Parent() uint64 {
	if parentReadable {
		return readParent()
	}
	return printedParent()
}

// numberReadable reports whether the number can be read from the runtime's memory. It is compared with what
// the runtime prints.
var numberReadable = apart(func() bool { return readNumber() == printedNumber() })

// parentReadable reports whether the number of the parent can be read.
var parentReadable = layoutKnown && apart(func() bool { return readParent() == printedParent() })

// apart reports whether f holds in two goroutines, one of which has started the other.
func apart(f func() bool) bool {
	both := make(chan bool)
	go func() {
		inner := make(chan bool)
		go func() { inner <- f() }()
		both <- f() && <-inner
	}()
	return <-both
}

// printedNumber is Number, from a stack trace.
func printedNumber() uint64 {
	trace := make([]byte, 64)
	trace = trace[:runtime.Stack(trace, false)]
	return leadingNumber(bytes.TrimPrefix(trace, []byte("goroutine ")))
}

// traceBuffers have room for a trace, which has no more than a hundred frames.
var traceBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// printedParent is Parent, from a stack trace.
func printedParent() uint64 {
	room := traceBuffers.Get().(*[64 << 10]byte)
	defer traceBuffers.Put(room)
	trace := room[:runtime.Stack(room[:], false)]
	mark := []byte(" in goroutine ")
	i := bytes.LastIndex(trace, mark)
	if i < 0 {
		return 0
	}
	return leadingNumber(trace[i+len(mark):])
}

// leadingNumber returns the decimal number that the text begins with, 0 if there is none.
func leadingNumber(text []byte) uint64 {
	end := 0
	for end < len(text) && '0' <= text[end] && text[end] <= '9' {
		end++
	}
	n, _ := strconv.ParseUint(string(text[:end]), 10, 64)
	return n
}
