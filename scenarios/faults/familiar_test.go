package faults

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestFamiliar: the familiar faults are faults of the list All, each named once.
func TestFamiliar(t *testing.T) {
	for i, f := range familiar {
		if !slices.Contains(All, f) || slices.Contains(familiar[:i], f) || len(f.Kinds) == 0 {
			t.Errorf("%s is no fault of All, or named twice, or has none of its %d kinds", f.Name, len(f.Kinds))
		}
	}
	if familiar[Everyday-1] != Resets {
		t.Errorf("the last everyday fault is %s", familiar[Everyday-1].Name)
	}
	order := []sim.Kind{sim.Order, pause, lostReply, lateReply, restart, failover, clockJump, "fault:of-a-test"}
	if !slices.IsSortedFunc(order, func(a, b sim.Kind) int { return Unfamiliar(a) - Unfamiliar(b) }) || Unfamiliar(sim.Latency) != 0 || Unfamiliar(pause) == 0 {
		t.Errorf("out of order: %v", order)
	}
}
