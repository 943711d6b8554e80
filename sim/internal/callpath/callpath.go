// Package callpath distinguishes goroutines by the lines of code that each is at.
package callpath

import (
	"hash/fnv"
	"path"
	"runtime"
	"strconv"
	"sync"

	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// Here returns a hash of the lines on the stack of the calling goroutine, from those of Here's caller: the same
// in every build of the same source, and at least 0. Names of functions would not do: those of closures
// depend on what the compiler inlines, and so on the race detector.
func Here() int64 { return lines.Here() }

var lines = Of(func(stack []uintptr) int64 {
	hash, frames := fnv.New64a(), runtime.CallersFrames(stack)
	for more := true; more; {
		var frame runtime.Frame
		if frame, more = frames.Next(); frame.Function != "runtime.goexit" { // which is in assembly, with other lines on each architecture
			hash.Write([]byte(path.Base(frame.File) + ":" + strconv.Itoa(frame.Line) + "\n"))
		}
	}
	return int64(hash.Sum64() >> 1)
})

// Answers are what follows from stacks. A program has few of them, but to read one takes as long as to serve a
// request, and to look up the names of its functions takes longer. So each is read once, and then known by its
// return addresses, which are the same in all runs of a program.
type Answers[T any] struct {
	ask   func(stack []uintptr) T
	known sync.Map // by a hash of the addresses
}

// Of returns the answers of ask, which gets a stack as [runtime.Callers] fills it in, must not keep it, and
// must answer the same each time. They are safe for concurrent use.
func Of[T any](ask func(stack []uintptr) T) *Answers[T] { return &Answers[T]{ask: ask} }

// Here returns the answer for the stack of the calling goroutine, from Here's caller on.
func (a *Answers[T]) Here() T {
	var stack []uintptr
	key, readable := goruntime.Stack()
	if !readable {
		stack = callers()
		key = goruntime.HashStack(stack)
	}
	if answer, is := a.known.Load(key); is {
		return answer.(T)
	}
	restore := goruntime.Undrawn()
	if readable {
		stack = callers()
	}
	answer := a.ask(stack)
	a.known.Store(key, answer)
	restore()
	return answer
}

// For returns the answer for a stack, as [runtime.Callers] fills it in.
func (a *Answers[T]) For(stack []uintptr) T {
	key := goruntime.HashStack(stack)
	if answer, is := a.known.Load(key); is {
		return answer.(T)
	}
	answer := a.ask(stack)
	a.known.Store(key, answer)
	return answer
}

// callers returns the stack from the caller of Here on.
func callers() []uintptr {
	room := make([]uintptr, 64)
	for {
		if n := runtime.Callers(3, room); n < len(room) {
			return room[:n]
		}
		room = make([]uintptr, 2*len(room))
	}
}
