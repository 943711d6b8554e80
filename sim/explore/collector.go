package explore

import (
	"math"
	"runtime"
	"runtime/debug"
)

// collectEvery is how many runs a worker makes between two collections of garbage, and mostGarbage the most memory
// that it may use until one begins within a run.
const (
	collectEvery = 50
	mostGarbage  = 512 << 20
)

// collectBetweenRuns keeps the collector, and the profile of memory, out of runs: both draw random numbers of the
// runtime's, and which run they meet depends on those before it. The returned function is called between two runs.
// It does so whatever GOGC says: a schedule is the same in every environment.
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

// undisturbed gives one run of a process that does other things as well what runs have in a worker. The returned function takes it back.
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
