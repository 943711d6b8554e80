// Package callpath tells goroutines apart by the lines of code that each is at.
package callpath

import (
	"hash/fnv"
	"path"
	"runtime"
	"strconv"
	"sync"
)

// Of is a hash of the lines on a stack, which [runtime.Callers] has filled in: the same in every
// build of the same source, and at least 0. Names of functions would not do: those of closures
// depend on what the compiler inlines, and so on the race detector.
func Of(stack []uintptr) int64 {
	const prime = 1099511628211 // of FNV
	where := uint64(14695981039346656037)
	for _, pc := range stack {
		where = (where ^ uint64(pc)) * prime
		where ^= where >> 32
	}
	if at, is := known.Load(where); is {
		return at.(int64)
	}
	hash, frames := fnv.New64a(), runtime.CallersFrames(stack)
	for more := true; more; {
		var frame runtime.Frame
		if frame, more = frames.Next(); frame.Function != "runtime.goexit" { // which is in assembly, with other lines on each architecture
			hash.Write([]byte(path.Base(frame.File) + ":" + strconv.Itoa(frame.Line) + "\n"))
		}
	}
	known.Store(where, int64(hash.Sum64()>>1))
	return int64(hash.Sum64() >> 1)
}

// known are the answers by the addresses of the code, which are the same in all runs of a
// program.
var known sync.Map
