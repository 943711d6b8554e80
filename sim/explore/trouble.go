package explore

import (
	"strings"

	"github.com/lockpick-dev/lockpick/sim"
)

// TroubleKind is the reason why a run did not finish.
type TroubleKind string

// The kinds of trouble; they are also results of searches.
const (
	// Crashed: code under test panicked, left goroutines behind, or took its
	// whole process down.
	Crashed TroubleKind = "crashed"
	// Stalled: the run can never go on, as its stacks prove.
	Stalled TroubleKind = "stalled"
	// Nondeterministic: the same tape gave two different runs.
	Nondeterministic TroubleKind = "nondeterministic"
	// Inconclusive: the run was given up without a proof.
	Inconclusive TroubleKind = "inconclusive"
	// Refused: a simulated server does not support a request of the code under test.
	Refused TroubleKind = "refused"
)

// Trouble is a run that did not finish. It is a result like any other.
type Trouble struct {
	Kind     TroubleKind `json:"kind"`
	Schedule int         `json:"schedule"`
	// Reason says in one sentence what happened.
	Reason string `json:"reason"`
	// Cause is its cause, empty if unknown.
	Cause Cause `json:"cause,omitempty"`
	// Stack has the stacks that show where it happened, if known.
	Stack string `json:"stack,omitempty"`
	// Leaked is set if the run ended and was judged, and its only trouble is that it
	// leaked goroutines.
	Leaked bool `json:"leaked,omitempty"`
	// Tape has the choices until then, if known. Running it again gives the same
	// trouble.
	Tape []sim.Choice `json:"tape,omitempty"`
}

// Unsupported returns the server's sentence about the unsupported request of a refused run, without the request's
// sender and place.
func (t *Trouble) Unsupported() string {
	what, _, _ := strings.Cut(t.Reason, sim.Sent)
	return what
}

// HidesNothing reports whether the trouble hides no finding, and is reported after the findings: the run was judged,
// but left goroutines behind, or another run of its tape differs from it.
func (t *Trouble) HidesNothing() bool { return t.Leaked || t.Kind == Nondeterministic }

// judged reports whether there are verdicts on the run: t is nil, or only
// goroutines leaked.
func (t *Trouble) judged() bool { return t == nil || t.Leaked }

// maxTroubles is the number of troubles after which a request is given up, and a search
// ends. A run that leaked goroutines does not count, since it costs only a worker
// process. maxUnsteady is the number of findings whose second run differs or shows no
// violation after which a search ends.
const (
	maxTroubles = 3
	maxUnsteady = 20
)

// troubleCount counts the troubles so far.
type troubleCount struct {
	troubles, leaks, unsteady int
	impatient                 bool // one trouble that takes seconds to detect is enough
}

func (p *troubleCount) add(t *Trouble) {
	switch {
	case t.Leaked:
		p.leaks++
	case t.Kind == Nondeterministic:
		p.unsteady++
	case t.Cause.Always():
		p.troubles = maxTroubles
	case p.impatient && (t.Kind == Stalled || t.Kind == Inconclusive):
		p.troubles = maxTroubles
	default:
		p.troubles++
	}
}

// over reports whether a limit is reached.
func (p *troubleCount) over() bool { return p.troubles >= maxTroubles || p.unsteady >= maxUnsteady }

// tooMuch reports whether a search with these troubles should end.
func tooMuch(list []Trouble, impatient bool) bool {
	p := troubleCount{impatient: impatient}
	for i := range list {
		p.add(&list[i])
	}
	return p.over()
}

// Error makes Trouble an error.
func (t *Trouble) Error() string { return t.Reason }
