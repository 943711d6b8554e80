package explore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Tally counts the outcomes of schedules. The tallies of a search's blocks, joined
// in their order, are the tally of the search.
type Tally struct {
	// Schedules is the number of schedules run.
	Schedules int   `json:"schedules"`
	Events    int64 `json:"events"`
	// Simulated is the virtual time that passed in the schedules.
	Simulated time.Duration `json:"simulatedNanos"`
	// Happened counts, for each thing that must happen, the schedules in
	// which it did.
	Happened []int `json:"happened"`
	// Violations counts the schedules with each violation, and First has the first
	// schedule of each. A fault and a limit of one property count separately.
	Violations map[model.Violation]int   `json:"violations"`
	First      map[model.Violation]Found `json:"first"`
	// Causes counts, for each violation, the schedules by the cause that their verdicts name ([model.Causes]), except
	// those without a cause. Tallies of older versions have none.
	Causes map[model.Violation]map[string]int `json:"causes,omitempty"`
	// Undecided is the number of schedules in which a property could not be decided,
	// and FirstUndecided the first such verdict, in the schedule UndecidedIn.
	Undecided      int            `json:"undecided,omitempty"`
	FirstUndecided *model.Verdict `json:"firstUndecided,omitempty"`
	UndecidedIn    int            `json:"undecidedIn,omitempty"`
	// UndecidedOf counts, by property, the schedules in which it could not be decided.
	// Tallies of older versions have none.
	UndecidedOf map[string]int `json:"undecidedOf,omitempty"`
	// Panicked has, by property, the sentence of the first verdict with the cause
	// [model.Panicked].
	Panicked map[string]string `json:"panicked,omitempty"`
	// Troubles are the runs that did not finish, up to a limit, and the first run that
	// leaked goroutines. Leaked are the schedules of all runs that leaked goroutines.
	Troubles []Trouble `json:"troubles,omitempty"`
	Leaked   []int     `json:"leaked,omitempty"`
	// Classes are the classes of the outcomes ([Outcome].Class).
	Classes Classes `json:"classes"`
	// Estimated is the number of classes beside those of Classes, in a search that is too long to keep a set of
	// them.
	Estimated *Estimate `json:"estimated,omitempty"`
}

// Found is a schedule that violated a property.
type Found struct {
	Schedule int `json:"schedule"`
	// Rank is the violation's place among those of the schedule.
	Rank int `json:"rank,omitempty"`
	// Deviations is the number of its deviations from calm.
	Deviations int `json:"deviations"`
	// Hash is the hash of its run, and Tape runs it again; only the tape of the first
	// schedule is kept. Deviating has the deviations of a schedule of an exhaustive
	// search.
	Hash      uint64       `json:"hash"`
	Tape      []sim.Choice `json:"tape,omitempty"`
	Deviating []sim.Choice `json:"deviating,omitempty"`
}

func newTally(happenings int) Tally {
	return Tally{Happened: make([]int, happenings), Violations: map[model.Violation]int{}, First: map[model.Violation]Found{}, Classes: Classes{}}
}

// fresh lists the violations of the schedule that no schedule before it has.
func (t *Tally) fresh(r *Result) (list []model.Violation) {
	if !r.Trouble.judged() {
		return nil
	}
	for _, v := range r.Violated {
		if t.Violations[v] == 0 {
			list = append(list, v)
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
	for rank, v := range r.Violated {
		if t.Violations[v] == 0 {
			f := Found{Schedule: r.Schedule, Rank: rank, Deviations: CountDeviations(r.Tape), Hash: r.Hash, Tape: r.Tape}
			if r.Node != nil {
				f.Deviating = r.Node.Deviating
			}
			t.First[v] = f
		}
		t.Violations[v]++
		if rank < len(r.Causes) {
			t.caused(v, r.Causes[rank], 1)
		}
	}
	if len(r.Undecided) > 0 {
		if t.Undecided == 0 {
			t.FirstUndecided, t.UndecidedIn = &r.Undecided[0], r.Schedule
		}
		t.Undecided++
		if t.UndecidedOf == nil {
			t.UndecidedOf = map[string]int{}
		}
		for i := range r.Undecided {
			v := &r.Undecided[i]
			t.UndecidedOf[v.Property]++
			if v.Cause == model.Panicked {
				t.panicked(v.Property, v.Sentence)
			}
		}
	}
}

// caused counts schedules whose violation has a cause.
func (t *Tally) caused(v model.Violation, cause string, n int) {
	if cause == "" {
		return
	}
	if t.Causes == nil {
		t.Causes = map[model.Violation]map[string]int{}
	}
	if t.Causes[v] == nil {
		t.Causes[v] = map[string]int{}
	}
	t.Causes[v][cause] += n
}

// panicked notes that a property panicked, unless that was noted before.
func (t *Tally) panicked(property, sentence string) {
	if t.Panicked == nil {
		t.Panicked = map[string]string{}
	}
	if t.Panicked[property] == "" {
		t.Panicked[property] = sentence
	}
}

// join adds the tally of later schedules.
func (t *Tally) join(later *Tally) {
	t.Schedules += later.Schedules
	t.Events += later.Events
	t.Simulated += later.Simulated
	for i := range t.Happened {
		if i < len(later.Happened) {
			t.Happened[i] += later.Happened[i]
		}
	}
	for v, n := range later.Violations { // unordered: each by itself
		if t.Violations[v] == 0 {
			t.First[v] = later.First[v]
		}
		t.Violations[v] += n
		for cause, n := range later.Causes[v] { // unordered: each by itself
			t.caused(v, cause, n)
		}
	}
	if t.Undecided == 0 {
		t.FirstUndecided, t.UndecidedIn = later.FirstUndecided, later.UndecidedIn
	}
	t.Undecided += later.Undecided
	for property, n := range later.UndecidedOf { // unordered: each by itself
		if t.UndecidedOf == nil {
			t.UndecidedOf = map[string]int{}
		}
		t.UndecidedOf[property] += n
	}
	for property, sentence := range later.Panicked { // unordered: each by itself
		t.panicked(property, sentence)
	}
	t.joinTroubles(later)
	t.Classes.join(later.Classes)
	t.Estimated = t.Estimated.plus(later.Estimated)
}

// order returns the violations in the order in which they were found.
func (t *Tally) order() []model.Violation {
	return slices.SortedFunc(maps.Keys(t.First), func(a, b model.Violation) int {
		one, two := t.First[a], t.First[b]
		return cmp.Or(cmp.Compare(one.Schedule, two.Schedule), cmp.Compare(one.Rank, two.Rank), a.Compare(b))
	})
}

// moved returns the tally with a number added to those of its schedules.
func (t Tally) moved(by int) Tally {
	t.First = maps.Clone(t.First)
	for v, f := range t.First { // unordered: each by itself
		f.Schedule += by
		t.First[v] = f
	}
	t.UndecidedIn += by
	t.Troubles, t.Leaked = t.movedTroubles(by)
	return t
}

// forget drops the tapes of violations that have been found before.
func (t *Tally) forget(known map[model.Violation]int) {
	for v, f := range t.First { // unordered: each by itself
		if known[v] > 0 {
			f.Tape = nil
			t.First[v] = f
		}
	}
}

// confirmed replaces a finding by its second run, whose tape is kept.
func (t *Tally) confirmed(v model.Violation, f Found) {
	own := t.First[v] // its schedule may have a different number here
	own.Hash, own.Tape, own.Deviations = f.Hash, f.Tape, f.Deviations
	t.First[v] = own
}

// Same reports whether two tallies of the same schedules are equal, except for tapes and troubles, which confirming and
// keeping findings change.
func (t *Tally) Same(o *Tally) bool {
	plain := func(t *Tally) Tally {
		p := *t
		p.First, p.Troubles = map[model.Violation]Found{}, nil
		for v, f := range t.First { // unordered: into a map
			f.Tape, f.Deviations = nil, 0
			p.First[v] = f
		}
		return p
	}
	one, other := plain(t), plain(o)
	a, err := json.Marshal(one)
	b, otherErr := json.Marshal(other)
	return err == nil && otherErr == nil && bytes.Equal(a, b)
}

// Check returns an error if no search can have counted the tally. It is for tallies
// from elsewhere.
func (t *Tally) Check() error {
	if t.Schedules < 0 || t.Schedules > maxCount || t.Events < 0 || t.Undecided < 0 || t.Undecided > t.Schedules || t.UndecidedIn < 0 || t.UndecidedIn > maxCount {
		return fmt.Errorf("%d schedules with %d events, %d of them undecided, the first in schedule %d", t.Schedules, t.Events, t.Undecided, t.UndecidedIn)
	}
	if e := t.Estimated; e != nil && (e.Classes < 0 || e.Classes > maxCount || !(e.Error >= 0 && e.Error <= 1)) {
		return fmt.Errorf("%d classes with an error of %v", e.Classes, e.Error)
	}
	for i, n := range t.Happened {
		if n < 0 || n > t.Schedules {
			return fmt.Errorf("the %d-th thing that must happen did in %d of %d schedules", i+1, n, t.Schedules)
		}
	}
	if len(t.First) != len(t.Violations) {
		return fmt.Errorf("%d violations, and the first schedules of %d", len(t.Violations), len(t.First))
	}
	for v, n := range t.Violations { // unordered: any error will do
		f, there := t.First[v]
		if n < 1 || n > maxCount || !there || f.Schedule < 0 || f.Schedule > maxCount || f.Rank < 0 {
			return fmt.Errorf("%v in %d schedules, first in schedule %d", v, n, f.Schedule)
		}
	}
	for i := range t.Troubles {
		one := &t.Troubles[i]
		if !slices.Contains([]TroubleKind{Crashed, Stalled, Nondeterministic, Inconclusive}, one.Kind) || one.Schedule < 0 || one.Schedule > maxCount {
			return fmt.Errorf("trouble of the kind %q in schedule %d", one.Kind, one.Schedule)
		}
	}
	for _, n := range t.Leaked {
		if n < 0 || n > maxCount {
			return fmt.Errorf("goroutines leaked in schedule %d", n)
		}
	}
	return nil
}
