package explore

import "testing"

// TestHowOften: plans are dense where a run can take three faults of a kind, after the
// first schedules of a block, and not where there are many kinds.
func TestHowOften(t *testing.T) {
	for _, test := range []struct {
		name    string
		told    int
		budgets map[uint64]int
		many    bool
		want    odds
	}{
		{"three of a kind", sparseFirst, map[uint64]int{1: 3, 2: 1}, false, denser},
		{"the first schedules", sparseFirst - 1, map[uint64]int{1: 3}, false, sparse},
		{"two of each kind", sparseFirst, map[uint64]int{1: 2, 2: 2}, false, sparse},
		{"many kinds", sparseFirst, map[uint64]int{1: 3}, true, sparse},
	} {
		s := &guided{learnt: test.told, budgets: test.budgets, many: test.many}
		if got := s.howOften(); got != test.want {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

// TestFewFaultsStaySparse: no plan of a block is dense if a run takes two faults, and
// most of the later ones are if it takes three.
func TestFewFaultsStaySparse(t *testing.T) {
	for more, atLeast := range map[int]int{0: 0, 1: 100} { // unordered: each by itself
		s, dense := newGuided(1, 0).(*guided), 0
		for i := range BlockSize {
			o, taken := protocol(s.Next())
			if s.odds == denser {
				if dense++; i < sparseFirst {
					t.Errorf("schedule %d is dense", i)
				}
			}
			s.Learn(&o, taken)
			for kind := range s.budgets { // unordered: each gets the same
				s.budgets[kind] = 2 + more
			}
		}
		if dense < atLeast || more == 0 && dense > 0 {
			t.Errorf("of %d schedules that take up to %d faults, %d are dense", BlockSize, 2+more, dense)
		}
	}
}

// TestDensePlans: dense plans have more regimes that strike once in each task, and go on
// to the end.
func TestDensePlans(t *testing.T) {
	count := func(of odds) (regimes int) {
		s := taught(t, 1, 2)
		s.odds = of
		for range 500 {
			for _, k := range s.afresh().strikes {
				if k.perTask && k.times > mostPlanned {
					regimes++
				}
			}
		}
		return regimes
	}
	if few, most := count(sparse), count(denser); most < 2*few {
		t.Errorf("%d regimes of sparse plans go on in each task, and %d of dense ones", few, most)
	}
}
