package explore

import "github.com/lockpick-dev/lockpick/sim"

// TroubleKind is how a run came to no proper end.
type TroubleKind string

// The kinds of trouble; they are also results of searches.
const (
	// Crashed: code under test panicked, left goroutines behind, or took its
	// whole process down.
	Crashed TroubleKind = "crashed"
	// Stalled: the run can never go on, which its stacks prove.
	Stalled TroubleKind = "stalled"
	// Nondeterministic: the same tape gave two different runs.
	Nondeterministic TroubleKind = "nondeterministic"
	// Inconclusive: the run was given up on without proof of anything.
	Inconclusive TroubleKind = "inconclusive"
)

// Trouble is a run that came to no proper end. It is a result as any other.
type Trouble struct {
	Kind     TroubleKind `json:"kind"`
	Schedule int         `json:"schedule"`
	// Reason says in one sentence what happened.
	Reason string `json:"reason"`
	// Cause says what it comes from, empty if that is not known.
	Cause Cause `json:"cause,omitempty"`
	// Stack shows where, if that is known.
	Stack string `json:"stack,omitempty"`
	// Leaked is set if the run itself came to its end and was judged, and only
	// left goroutines behind.
	Leaked bool `json:"leaked,omitempty"`
	// Tape is what was decided until then, if that is known: run again, it
	// comes to the same trouble.
	Tape []sim.Choice `json:"tape,omitempty"`
}

// judged reports whether there are verdicts on the run nevertheless, or t is nil
// and nothing is wrong with it.
func (t *Trouble) judged() bool { return t == nil || t.Leaked }

// maxTroubles is how many troubles a request is put up with before it is given
// up, and a search before it ends. A run that left goroutines behind costs a
// worker process only, and does not count. maxUnsteady is how many findings may be
// run again in vain, or come out otherwise, before a search ends.
const (
	maxTroubles = 3
	maxUnsteady = 20
)

// endured is what was put up with so far.
type endured struct {
	troubles, leaks, unsteady int
	impatient                 bool // one that takes seconds to tell is enough
}

func (p *endured) add(t *Trouble) {
	switch {
	case t.Leaked:
		p.leaks++
	case t.Kind == Nondeterministic:
		p.unsteady++
	case t.Cause == RealNetwork: // so does every other run
		p.troubles = maxTroubles
	case p.impatient && (t.Kind == Stalled || t.Kind == Inconclusive):
		p.troubles = maxTroubles
	default:
		p.troubles++
	}
}

// over reports whether that is enough.
func (p *endured) over() bool { return p.troubles >= maxTroubles || p.unsteady >= maxUnsteady }

// tooMuch reports whether a search with these troubles should end.
func tooMuch(list []Trouble, impatient bool) bool {
	p := endured{impatient: impatient}
	for i := range list {
		p.add(&list[i])
	}
	return p.over()
}

// Error makes Trouble an error.
func (t *Trouble) Error() string { return t.Reason }
