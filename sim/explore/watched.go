package explore

import (
	"sync"

	"github.com/lockpick-dev/lockpick/sim"
)

// A Taken is a decision with the option that was taken.
type Taken struct {
	sim.Decision
	Option int
}

// Choice returns the choice for a recorded tape.
func (t Taken) Choice() sim.Choice {
	return sim.Choice{Kind: t.Kind, Actor: t.Actor, Occurrence: t.Occurrence, Options: t.Options, Option: t.Option}
}

// Watched is a tape that records the decisions and answers of another.
type Watched struct {
	sim.Tape
	// Taken is the record. Only the run may use it until it has ended.
	Taken []Taken
	// Each, if not nil, is called for each answer.
	Each func(Taken)
	// Forgetful keeps no record.
	Forgetful bool

	mu sync.Mutex // guards Taken: Choices may be called during the run

	selects func(sim.Decision) int // the other tape's method, looked up once: a type assertion takes longer
}

// Choose asks the other tape.
func (w *Watched) Choose(d sim.Decision) int {
	return w.took(d, w.Tape.Choose(d))
}

// ChooseSelect asks the other tape, if it is a [sim.SelectTape].
func (w *Watched) ChooseSelect(d sim.Decision) int {
	if w.selects == nil {
		w.selects = func(d sim.Decision) int { return chooseSelect(w.Tape, d) }
		if t, answers := w.Tape.(sim.SelectTape); answers {
			w.selects = t.ChooseSelect
		}
	}
	option := w.selects(d)
	if option == 0 {
		return 0
	}
	return w.took(d, option)
}

// chooseSelect returns the tape's answer to a decision about selects, or 0 if the tape is not a
// [sim.SelectTape].
func chooseSelect(t sim.Tape, d sim.Decision) int {
	if t, answers := t.(sim.SelectTape); answers {
		return t.ChooseSelect(d)
	}
	return 0
}

func (w *Watched) took(d sim.Decision, option int) int {
	d.Candidates = nil // valid during the call only
	if !w.Forgetful {
		w.mu.Lock()
		w.Taken = append(w.Taken, Taken{d, option})
		w.mu.Unlock()
	}
	if w.Each != nil {
		w.Each(Taken{d, option})
	}
	return option
}

// Choices returns the answers so far, as a recorded tape. Any goroutine may call it.
func (w *Watched) Choices() []sim.Choice {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := make([]sim.Choice, len(w.Taken))
	for i, t := range w.Taken {
		list[i] = t.Choice()
	}
	return list
}

// expecting is a tape that checks that a run asks the same decisions as an earlier one,
// as long as the answers are the same.
type expecting struct {
	sim.Tape
	// Before has the decisions and answers of the earlier run.
	Before []Taken

	asked   int
	differs *Divergence
}

// Choose asks the other tape.
func (e *expecting) Choose(d sim.Decision) int {
	if at := e.asked; at < len(e.Before) && e.differs == nil {
		b := &e.Before[at]
		if b.Kind != d.Kind || b.Actor != d.Actor || b.Occurrence != d.Occurrence || b.Options != d.Options {
			e.differs = &Divergence{Decision: at + 1, Recorded: b.ID(), Asked: d.ID(), RecordedOptions: b.Options, AskedOptions: d.Options}
		}
	}
	e.asked++
	return e.Tape.Choose(d)
}

// ChooseSelect asks the other tape.
func (e *expecting) ChooseSelect(d sim.Decision) int { return chooseSelect(e.Tape, d) }

// Diverged returns the first decision at which the runs differed, or nil.
func (e *expecting) Diverged() *Divergence {
	if e.differs == nil && e.asked < len(e.Before) {
		return &Divergence{Decision: e.asked + 1, Recorded: e.Before[e.asked].ID(), RecordedOptions: e.Before[e.asked].Options}
	}
	return e.differs
}
