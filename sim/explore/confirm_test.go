package explore

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// TestNoneRepeats: each finding that the second run of its tape does not show hands
// on the tape of its own schedule, and the search goes on.
func TestNoneRepeats(t *testing.T) {
	t.Parallel()
	sum, err := Search{Worker: self(t), Cell: cell{"be shy", 3}.json(), Seed: 1, Schedules: 100}.Run(t.Context())
	if err != nil || len(sum.Troubles) < 4 || sum.Schedules != 100 || len(sum.Violations) > 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	for _, trouble := range sum.Troubles {
		if draw(1, trouble.Schedule) != 3 || len(trouble.Tape) != 1 || trouble.Tape[0].Option != 3 {
			t.Errorf("schedule %d: %s: %s, tape %+v", trouble.Schedule, trouble.Kind, trouble.Reason, trouble.Tape)
		}
	}
}

// TestBothShowIt: a violation that both runs of a tape show is a finding, although
// they differ, and that is told beside it.
func TestBothShowIt(t *testing.T) {
	t.Parallel()
	var found []Finding
	sum, err := Search{
		Worker: self(t), Cell: cell{"change its mind", 3}.json(), Seed: 1, Schedules: 50,
		OnFinding: func(f Finding) { found = append(found, f) },
	}.Run(t.Context())
	if err != nil || sum.Schedules != 50 || sum.Result() != Violation || sum.Violations[pFault] < 2 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if len(sum.Troubles) != 1 || sum.Troubles[0].Kind != Nondeterministic {
		t.Errorf("the troubles are %+v", sum.Troubles)
	}
	if len(found) != 1 || found[0].Differs == nil || found[0].Differs.Kind != Nondeterministic || found[0].Schedule != sum.Troubles[0].Schedule {
		t.Errorf("found %+v", found)
	}
}

// TestDiffersOnce: a finding of which one run differs, and those in a third process do not, is a finding without trouble. If each
// process has runs of its own, that is told.
func TestDiffersOnce(t *testing.T) {
	t.Parallel()
	for do, want := range map[string]int{"differ once": 0, "differ once again": 0, "differ by process": 1} {
		t.Run(do, func(t *testing.T) {
			t.Parallel()
			w := self(t)
			w.Env = append(w.Env, onceFile+"="+filepath.Join(t.TempDir(), "once"))
			var found []Finding
			sum, err := Search{
				Worker: w, Cell: cell{do, 3}.json(), Seed: 1, Schedules: 50, OnFinding: func(f Finding) { found = append(found, f) },
			}.Run(t.Context())
			if err != nil || len(found) != 1 || len(found[0].Outcome.Violated()) != 1 || sum.Violations[pFault] < 2 {
				t.Fatalf("found %+v; %+v, %v", found, sum, err)
			}
			if len(sum.Troubles) != want || (found[0].Differs != nil) != (want > 0) {
				t.Errorf("troubles %+v", sum.Troubles)
			}
			if usual := uint64(3 + 1); want == 0 && (sum.First[pFault].Hash != usual || found[0].Outcome.Hash != usual) {
				t.Errorf("the run is %d, and kept as %d", found[0].Outcome.Hash, sum.First[pFault].Hash)
			}
		})
	}
}

// TestFirstDoesNotRepeat: if what was the first finding does not repeat when a
// search goes on, the one behind it is run again, with its own tape, although
// that was not kept.
func TestFirstDoesNotRepeat(t *testing.T) {
	t.Parallel()
	for _, strategy := range StrategyNames() {
		if strategy == BoundedStrategy {
			continue // it is one block
		}
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			s := Search{Worker: self(t), Cell: toy{Places: 20, Faults: []int{3}}.json(), Strategy: strategy, Seed: 7, Schedules: 2 * BlockSize, Happenings: 1}
			blocks := map[int]Tally{}
			s.OnBlock = func(b int, tally Tally) { blocks[b] = tally }
			searched(t, s)
			second := blocks[1].First[pFault]
			if len(blocks[0].First[pFault].Tape) == 0 || second.Hash == 0 || len(second.Tape) > 0 {
				t.Fatalf("first in %+v and %+v", blocks[0].First, blocks[1].First)
			}
			s.Known = map[int]Tally{0: otherwise(blocks[0]), 1: blocks[1]}
			sum, found := searched(t, s)
			if len(found) != 1 || len(sum.Troubles) != 1 || sum.Violations[pFault] != blocks[1].Violations[pFault] {
				t.Fatalf("found %v, violations %v, troubles %+v", found, sum.Violations, sum.Troubles)
			}
			itself(t, sum.Troubles[0], second, &sum.Tally, blocks[0], blocks[1])
		})
	}
}

// TestFirstDoesNotRepeatBehindTrouble: a strategy that learns is led to the
// finding past what did not finish before it.
func TestFirstDoesNotRepeatBehindTrouble(t *testing.T) {
	slowtest.SkipIfShort(t)
	t.Parallel()
	s := Search{
		Worker: self(t), Cell: toy{Places: 10, Faults: []int{3, 8}, Dies: []int{5, 9}, Most: 2}.json(), Strategy: GuidedStrategy,
		Schedules: 2 * BlockSize, Happenings: 1,
	}
	for s.Seed = 90; s.Seed <= 200; s.Seed++ { // one in a hundred is like that
		blocks := map[int]Tally{}
		s.OnBlock = func(b int, tally Tally) { blocks[b] = tally }
		s.Known = nil
		searched(t, s)
		second := blocks[1].First[pFault]
		if len(blocks[0].Troubles) > 0 || blocks[0].Violations[pFault] == 0 || len(blocks[1].Troubles) == 0 || second.Schedule < blocks[1].Troubles[0].Schedule {
			continue
		}
		s.Known = map[int]Tally{0: otherwise(blocks[0]), 1: blocks[1]}
		sum, found := searched(t, s)
		if len(found) != 1 || len(sum.Troubles) != 1+len(blocks[1].Troubles) || sum.Troubles[1].Kind != Crashed {
			t.Fatalf("seed %d: found %v, troubles %+v", s.Seed, found, sum.Troubles)
		}
		itself(t, sum.Troubles[0], second, &sum.Tally, blocks[0], blocks[1])
		t.Logf("with seed %d", s.Seed)
		return
	}
	t.Fatal("there is no seed with trouble before the finding of the second block")
}

// TestFirstDoesNotRepeatInCheck is the same of an exhaustive search.
func TestFirstDoesNotRepeatInCheck(t *testing.T) {
	t.Parallel()
	k := Check{Worker: self(t), Cell: toy{Places: 6, Faults: []int{1, 4}}.json(), Bound: 2, Happenings: 1}
	var parts []CheckPart
	k.OnPart = func(p CheckPart) { parts = append(parts, p) }
	if _, err := k.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var with []int
	for i, p := range parts {
		if p.Tally.Violations[pFault] > 0 {
			with = append(with, i)
		}
	}
	if len(with) != 2 {
		t.Fatalf("p is violated in parts %v", with)
	}
	first, second := &parts[with[0]].Tally, parts[with[1]].Tally.First[pFault]
	*first = otherwise(*first)
	k.Known = slices.Clone(parts)
	later := map[int]Tally{}
	k.OnPart = func(p CheckPart) { later[p.Part] = p.Tally }
	var found []Finding
	k.OnFinding = func(f Finding) { found = append(found, f) }
	sum, err := k.Run(t.Context())
	if err != nil || len(found) != 1 || len(sum.Troubles) != 1 || CountDeviations(found[0].Tape) != 2 || sum.First[pFault].Deviations != 2 {
		t.Fatalf("found %+v, troubles %+v, first %+v, %v", found, sum.Troubles, sum.First, err)
	}
	itself(t, sum.Troubles[0], second, &sum.Tally, later[parts[with[0]].Part], later[parts[with[1]].Part])
}

// otherwise is the tally as if the schedule that violated p first did so no more:
// its tape is calm.
func otherwise(t Tally) Tally {
	t.First, t.Violations = maps.Clone(t.First), maps.Clone(t.Violations)
	f := t.First[pFault]
	f.Hash++
	f.Tape = slices.Clone(f.Tape)
	for i := range f.Tape {
		f.Tape[i].Option = 0
	}
	t.First[pFault] = f
	return t
}

// itself checks that the first finding, which did not repeat, and the second, which
// did, have their own tapes, for a search that goes on from here too.
func itself(t *testing.T, trouble Trouble, second Found, sum *Tally, one, two Tally) {
	t.Helper()
	if trouble.Kind != Nondeterministic || !strings.Contains(trouble.Reason, "two runs of the same tape differ") || len(trouble.Tape) == 0 {
		t.Errorf("the first is %s: %s, tape %+v", trouble.Kind, trouble.Reason, trouble.Tape)
	}
	if f := sum.First[pFault]; f.Hash != second.Hash || len(f.Tape) == 0 || f.Deviations != second.Deviations {
		t.Errorf("the second is %+v, was %+v", f, second)
	}
	if len(two.First[pFault].Tape) == 0 {
		t.Error("the tape of the second is not kept")
	}
	if len(one.Troubles) != 1 || len(one.Troubles[0].Tape) == 0 {
		t.Errorf("of the first is kept %+v", one.Troubles)
	}
}
