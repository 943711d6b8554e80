package holders

import (
	"slices"
	"testing"
)

// TestGrouped: things are found by their operations, in their order.
func TestGrouped(t *testing.T) {
	s := newGrouped(3, func(add func(int, string)) {
		for i, name := range []string{"a", "b", "c", "d", "e"} {
			add([]int{2, 0, 3, 2, 0}[i], name)
		}
	})
	for op, want := range [][]string{{"b", "e"}, {}, {"a", "d"}, {"c"}} {
		if got := s.of(op); !slices.Equal(got, want) {
			t.Errorf("of operation %d: %v, want %v", op, got, want)
		}
	}
}
