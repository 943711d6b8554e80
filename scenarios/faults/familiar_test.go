package faults

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestFamiliar: every fault has a place among the familiar ones, once, and what is no fault has none.
func TestFamiliar(t *testing.T) {
	for _, f := range All {
		n := 0
		for _, one := range familiar {
			if one == f {
				n++
			}
		}
		if n != 1 || len(f.Kinds) == 0 {
			t.Errorf("%s stands %d times among the familiar faults, and has %d kinds", f.Name, n, len(f.Kinds))
		}
	}
	if len(familiar) != len(All) {
		t.Errorf("%d of %d faults are familiar", len(familiar), len(All))
	}
	if familiar[Everyday-1] != Resets {
		t.Errorf("the last fault of every day is %s", familiar[Everyday-1].Name)
	}
	order := []sim.Kind{sim.Order, pause, lostReply, lateReply, restart, failover, clockJump, "fault:of-a-test"}
	if !slices.IsSortedFunc(order, func(a, b sim.Kind) int { return Unfamiliar(a) - Unfamiliar(b) }) || Unfamiliar(sim.Latency) != 0 || Unfamiliar(pause) == 0 {
		t.Errorf("out of order: %v", order)
	}
}
