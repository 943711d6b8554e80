package checker

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSpans: what a search finds among spans is what one finds who looks at each.
func TestSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(0, 12)
		var list []span
		for i := range rapid.IntRange(0, 20).Draw(t, "spans") {
			from := number.Draw(t, "from")
			to := from + number.Draw(t, "length")
			if rapid.Bool().Draw(t, "endless") {
				to = endless
			}
			list = append(list, span{from, to, i})
		}
		from := number.Draw(t, "after")
		to := from + number.Draw(t, "until")
		want := []int{}
		for _, s := range list {
			if s.from <= to && s.to > from {
				want = append(want, s.at)
			}
		}
		got := append([]int{}, newSpans(slices.Clone(list)).overlapping(nil, from, to)...)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("of %v those that overlap %d to %d: %v, want %v", list, from, to, got, want)
		}
	})
}

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
