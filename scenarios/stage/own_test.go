package stage

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/traces"
)

// TestOwnSettings: a setting that a store alone has is listed, set, made smaller and cleared as
// others are, and copies of parameters do not share it.
func TestOwnSettings(t *testing.T) {
	doors := Setting{Name: "doors", Max: 9, Rare: true}
	s := Settings{numbers: slices.Concat(usual[:2], []Setting{doors}, usual[2:])}
	p := Params{Clients: 1, Rounds: 1}
	q := p
	if err := s.Set(&q, "doors", "3"); err != nil || doors.Of(q) != 3 || doors.Of(p) != 0 {
		t.Fatalf("%v: %d doors, and %d before", err, doors.Of(q), doors.Of(p))
	}
	if err := s.Set(&q, "doors", "10"); err == nil {
		t.Error("10 doors are accepted")
	}
	if got := s.Unlike(q, p); !slices.Equal(got, []traces.Parameter{{Name: "doors", Value: "3"}}) {
		t.Errorf("unlike: %v", got)
	}
	var smaller []int
	for _, less := range s.Smaller(q) {
		smaller = append(smaller, doors.Of(less))
	}
	if !slices.Equal(smaller, []int{0, 1, 2}) {
		t.Errorf("smaller: %v", smaller)
	}
	two := q
	doors.Set(&two, 2)
	if doors.Of(q) != 3 || doors.Of(two) != 2 || len(two.Own) != 1 {
		t.Errorf("%v and %v", q.Own, two.Own)
	}
	if s.ClearUnlisted(&q); q.Own != nil {
		t.Errorf("cleared: %v", q.Own)
	}
}
