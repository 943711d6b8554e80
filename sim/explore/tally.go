package explore

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Tally counts what schedules came to. Those of the blocks of a search, joined
// in the order of the blocks, are the tally of the search.
type Tally struct {
	// Schedules is how many were run.
	Schedules int   `json:"schedules"`
	Events    int64 `json:"events"`
	// Simulated is how much virtual time passed in them.
	Simulated time.Duration `json:"simulatedNanos"`
	// Happened counts, for each thing that must happen, the schedules in
	// which it did.
	Happened []int `json:"happened"`
	// Violations counts the schedules that violated each property, and First
	// has the first of them.
	Violations map[string]int   `json:"violations"`
	First      map[string]Found `json:"first"`
	// Undecided is in how many schedules some property could not be decided,
	// and FirstUndecided the first of these verdicts, of the schedule
	// UndecidedIn.
	Undecided      int            `json:"undecided,omitempty"`
	FirstUndecided *model.Verdict `json:"firstUndecided,omitempty"`
	UndecidedIn    int            `json:"undecidedIn,omitempty"`
	// Troubles are the runs that came to no proper end, as many as were put
	// up with; of those that left goroutines behind the first. Leaked are the
	// schedules of all of these.
	Troubles []Trouble `json:"troubles,omitempty"`
	Leaked   []int     `json:"leaked,omitempty"`
	// Classes are the different stories that the schedules told.
	Classes Classes `json:"classes"`
}

// Found is a schedule that violated a property.
type Found struct {
	Schedule int `json:"schedule"`
	// Rank is the property's place among those that the schedule violated.
	Rank int `json:"rank,omitempty"`
	// Deviations from calm that it had.
	Deviations int `json:"deviations"`
	// Hash is its run's, and Tape what it takes to run it again; the tape of
	// the first schedule only is kept. Deviating are the choices that are not
	// calm, of a schedule of an exhaustive search: these are few.
	Hash      uint64       `json:"hash"`
	Tape      []sim.Choice `json:"tape,omitempty"`
	Deviating []sim.Choice `json:"deviating,omitempty"`
}

func newTally(happenings int) Tally {
	return Tally{Happened: make([]int, happenings), Violations: map[string]int{}, First: map[string]Found{}, Classes: Classes{}}
}

// fresh lists the properties that the schedule violates and none before it has.
func (t *Tally) fresh(r *Result) (list []string) {
	if !r.Trouble.judged() {
		return nil
	}
	for _, p := range r.Violated {
		if t.Violations[p] == 0 {
			list = append(list, p)
		}
	}
	return list
}

// add counts one result.
func (t *Tally) add(r *Result) {
	t.Schedules++
	t.Events += r.Events
	t.Simulated += time.Duration(r.Simulated)
	for i := range t.Happened {
		t.Happened[i] += int(r.Happened >> i & 1)
	}
	if r.Trouble != nil {
		t.trouble(*r.Trouble)
	}
	if !r.Trouble.judged() {
		return
	}
	t.Classes[r.Class] = struct{}{}
	for rank, p := range r.Violated {
		if t.Violations[p] == 0 {
			f := Found{Schedule: r.Schedule, Rank: rank, Deviations: CountDeviations(r.Tape), Hash: r.Hash, Tape: r.Tape}
			if r.Node != nil {
				f.Deviating = r.Node.Deviating
			}
			t.First[p] = f
		}
		t.Violations[p]++
	}
	if len(r.Undecided) > 0 {
		if t.Undecided == 0 {
			t.FirstUndecided, t.UndecidedIn = &r.Undecided[0], r.Schedule
		}
		t.Undecided++
	}
}

// join adds what came later.
func (t *Tally) join(later *Tally) {
	t.Schedules += later.Schedules
	t.Events += later.Events
	t.Simulated += later.Simulated
	for i := range t.Happened {
		if i < len(later.Happened) {
			t.Happened[i] += later.Happened[i]
		}
	}
	for _, p := range slices.Sorted(maps.Keys(later.Violations)) {
		if t.Violations[p] == 0 {
			t.First[p] = later.First[p]
		}
		t.Violations[p] += later.Violations[p]
	}
	if t.Undecided == 0 {
		t.FirstUndecided, t.UndecidedIn = later.FirstUndecided, later.UndecidedIn
	}
	t.Undecided += later.Undecided
	t.joinTroubles(later)
	t.Classes.join(later.Classes)
}

// order is the violated properties in the order in which they were found.
func (t *Tally) order() []string {
	return slices.SortedFunc(maps.Keys(t.First), func(a, b string) int {
		one, two := t.First[a], t.First[b]
		return cmp.Or(cmp.Compare(one.Schedule, two.Schedule), cmp.Compare(one.Rank, two.Rank), cmp.Compare(a, b))
	})
}

// moved is the tally with the numbers of its schedules moved.
func (t Tally) moved(by int) Tally {
	t.First = maps.Clone(t.First)
	for _, p := range slices.Sorted(maps.Keys(t.First)) {
		f := t.First[p]
		f.Schedule += by
		t.First[p] = f
	}
	t.UndecidedIn += by
	t.Troubles, t.Leaked = t.movedTroubles(by)
	return t
}

// forget drops the tapes of properties that have been found before.
func (t *Tally) forget(known map[string]int) {
	for _, p := range slices.Sorted(maps.Keys(t.First)) {
		if known[p] > 0 {
			f := t.First[p]
			f.Tape = nil
			t.First[p] = f
		}
	}
}

// confirmed notes what a finding that was run again has come to be: the one
// whose tape is kept.
func (t *Tally) confirmed(property string, f Found) {
	own := t.First[property] // its schedule may have another number here
	own.Tape, own.Deviations = f.Tape, f.Deviations
	t.First[property] = own
}
