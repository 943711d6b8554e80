package goruntime

import (
	"fmt"
	"runtime"
	_ "unsafe" // for linkname
)

// overlaid is the runtime's variable of this name (internal/overlay/runtime.go.txt), and zero where the program was built without the overlay.
//
//go:linkname overlaid runtime.lockpickRun
var overlaid struct {
	version, running, reversed, behind, timers uint64

	random chacha8
}

// overlayVersion is that of the overlay that this package knows.
const overlayVersion = 2

// Exact reports whether the program was built with the overlay: the order of selects, timers and woken goroutines of a run is what
// [Draws.Set] says, whatever else the runtime draws.
func Exact() bool { return overlaid.version == overlayVersion }

// Begin begins a run, and the function that it returns ends that. In between the program has one processor: goroutines on several run
// in the order of real time. Without the overlay they do nothing; that of another version of Lockpick is an error.
func Begin() (end func(), err error) {
	if v := overlaid.version; v != 0 && v != overlayVersion {
		return nil, fmt.Errorf("the program was built with version %d of simrun's overlay, want %d: build it with that of this version of Lockpick", v, overlayVersion)
	}
	if !Exact() {
		return func() {}, nil
	}
	processors := runtime.GOMAXPROCS(0)
	if processors > 1 {
		runtime.GOMAXPROCS(1) // stops the world
	}
	overlaid.running, overlaid.reversed, overlaid.behind, overlaid.timers = 1, 0, 0, 0
	return func() {
		overlaid.running = 0
		if processors > 1 {
			runtime.GOMAXPROCS(processors)
		}
	}, nil
}
