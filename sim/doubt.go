package sim

import (
	"maps"
	"slices"
	"sync"
)

// Doubt notes why the run may not repeat: the order of something in the process is up to the
// scheduler, or to a map. Where runs of one tape differ, the reasons are told with the first
// difference. A reason should name the remedy. It leaves no mark on the run or its hash, and
// nothing is noted once the run is over. Any goroutine of the process may call it.
func (p *Process) Doubt(reason string) {
	if !p.world.draining() {
		p.world.doubts.add(reason)
	}
}

// doubts are reasons why a run may not repeat.
type doubts struct {
	mu      sync.Mutex
	reasons map[string]bool
}

func (d *doubts) add(reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.reasons == nil {
		d.reasons = map[string]bool{}
	}
	d.reasons[reason] = true
}

// list are the reasons, sorted.
func (d *doubts) list() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.reasons))
}
