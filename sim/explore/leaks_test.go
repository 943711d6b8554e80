package explore

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim"
)

// TestLeaksGoOn: however many runs leave goroutines behind, the search goes on, says
// so once, and counts them.
func TestLeaksGoOn(t *testing.T) {
	slowtest.SkipIfShort(t)
	t.Parallel()
	const schedules = 40
	sum, err := Search{Worker: self(t), Cell: cell{"leak", always}.json(), Seed: 1, Schedules: schedules, Jobs: 2}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sum.Schedules != schedules || len(sum.Leaked) != schedules {
		t.Errorf("%d schedules of %d, %d leaks", sum.Schedules, schedules, len(sum.Leaked))
	}
	if len(sum.Troubles) != 1 || !sum.Troubles[0].Leaked || sum.Troubles[0].Schedule != 0 {
		t.Errorf("the troubles are %+v", sum.Troubles)
	}
}

// TestLeaksJoined: parts of a search say once what leaked in any of them.
func TestLeaksJoined(t *testing.T) {
	one, two := newTally(0), newTally(0)
	one.trouble(Trouble{Schedule: 3, Leaked: true})
	two.trouble(Trouble{Schedule: 0, Kind: Stalled})
	two.trouble(Trouble{Schedule: 1, Leaked: true})
	two.trouble(Trouble{Schedule: 2, Leaked: true})
	later := two.moved(10)
	one.join(&later)
	if len(one.Troubles) != 2 || one.Troubles[0].Schedule != 3 || one.Troubles[1].Schedule != 10 || one.Troubles[1].Leaked {
		t.Errorf("the troubles are %+v", one.Troubles)
	}
	if len(one.Leaked) != 3 || one.Leaked[1] != 11 || one.Leaked[2] != 12 {
		t.Errorf("the leaks are %v", one.Leaked)
	}
	if two.Leaked[0] != 1 {
		t.Error("moving a tally has moved the one that it was made of")
	}
}

// TestLongTapesAreNotKept: the tape of a very long run that did not finish is dropped, and
// the reason says so; a shorter one stays.
func TestLongTapesAreNotKept(t *testing.T) {
	for n, want := range map[int]string{maxTape: "why", maxTape + 1: "why; its tape of 250001 choices is not kept"} {
		sum := newTally(0)
		sum.add(&Result{Trouble: &Trouble{Kind: Inconclusive, Reason: "why", Tape: make([]sim.Choice, n)}})
		if got := sum.Troubles[0]; got.Reason != want || (len(got.Tape) == 0) != (n > maxTape) {
			t.Errorf("%d choices: %q, %d kept", n, got.Reason, len(got.Tape))
		}
	}
}
