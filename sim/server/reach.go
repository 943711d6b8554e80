package server

import (
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// Reach knows which servers reach each other, by the partitions of the world. Simulated servers
// use it instead of heartbeats, so that a calm run has no such messages.
type Reach struct {
	parted  []*sim.Partition
	changed func()
}

// NewReach follows the partitions of a world from now on. Changed is called after each beginning
// and each end of one.
func NewReach(w *sim.World, changed func()) *Reach {
	r := &Reach{changed: changed}
	w.OnFault(r.fault)
	return r
}

func (r *Reach) fault(f sim.Fault) {
	switch f.Kind {
	case sim.FaultPartition:
		r.parted = append(r.parted, f.Sides)
	case sim.FaultUnited:
		if i := slices.IndexFunc(r.parted, func(p *sim.Partition) bool { return p.String() == f.Sides.String() }); i >= 0 {
			r.parted = slices.Delete(r.parted, i, i+1)
		}
	default:
		return
	}
	r.changed()
}

// Connected reports whether two servers reach each other. They do not if one direction is cut.
func (r *Reach) Connected(a, b *sim.Actor) bool {
	for _, p := range r.parted {
		if slices.Contains(p.A, a) && slices.Contains(p.B, b) || slices.Contains(p.A, b) && slices.Contains(p.B, a) {
			return false
		}
	}
	return true
}
