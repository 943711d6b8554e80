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
	// Stack shows where, if that is known.
	Stack string `json:"stack,omitempty"`
	// Tape is what was decided until then, if that is known: run again, it
	// comes to the same trouble.
	Tape []sim.Choice `json:"tape,omitempty"`
}

// Error makes Trouble an error.
func (t *Trouble) Error() string { return t.Reason }
