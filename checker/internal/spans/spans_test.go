package spans

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSpans: what a search finds among spans is what one finds who looks at each.
func TestSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(0, 12)
		var list []Span
		for i := range rapid.IntRange(0, 20).Draw(t, "spans") {
			from := number.Draw(t, "from")
			to := from + number.Draw(t, "length")
			if rapid.Bool().Draw(t, "endless") {
				to = Endless
			}
			list = append(list, Span{from, to, i})
		}
		from := number.Draw(t, "after")
		to := from + number.Draw(t, "until")
		want := []int{}
		for _, s := range list {
			if s.From <= to && s.To > from {
				want = append(want, s.At)
			}
		}
		got := append([]int{}, New(slices.Clone(list)).Overlapping(nil, from, to)...)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("of %v those that overlap %d to %d: %v, want %v", list, from, to, got, want)
		}
	})
}
