package explore

import (
	"math"
	"runtime"
	"runtime/debug"
)

// collectEvery is the number of runs that a worker makes between two garbage collections, and mostGarbage the
// memory that it may use before one begins within a run.
const (
	collectEvery = 20
	mostGarbage  = 512 << 20
)

// collectBetweenRuns keeps the garbage collector and the memory profile out of runs: both draw random numbers of
// the runtime, and in which run they do depends on earlier runs. The returned function must be called between two
// runs. GOGC is ignored, so that a schedule is the same in every environment.
func collectBetweenRuns() (between func()) {
	runtime.MemProfileRate = 0
	debug.SetGCPercent(-1)
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(mostGarbage)
	}
	runs := 0
	return func() {
		if runs++; runs%collectEvery == 0 {
			runtime.GC()
		}
	}
}

// undisturbed sets up the process for one run as a worker does, in a process that does other things as well. The
// returned function undoes it.
func undisturbed() (restore func()) {
	procs, percent, limit, rate := runtime.GOMAXPROCS(1), debug.SetGCPercent(-1), debug.SetMemoryLimit(-1), runtime.MemProfileRate
	debug.SetMemoryLimit(min(limit, mostGarbage))
	runtime.MemProfileRate = 0
	return func() {
		runtime.MemProfileRate = rate
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
		runtime.GOMAXPROCS(procs)
	}
}
