package explore

import (
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// Replay is a tape that repeats recorded choices. It finds choices by the identity
// of their decisions, so that a tape remains useful after small changes of the
// code. Decisions without a recorded choice are calm.
type Replay struct {
	choices  []sim.Choice
	byID     map[id]int
	next     int
	diverged *Divergence
}

type id struct {
	kind       sim.Kind
	actor      string
	occurrence int
}

// Divergence is the place where a run asked a decision other than the recorded one.
type Divergence struct {
	// Decision is the number of the decision in the recording, from 1.
	Decision int
	// Recorded is the identity of the recorded decision, empty at the end of the
	// recording; Asked is that of the run's decision.
	Recorded, Asked string
	// RecordedOptions and AskedOptions are the numbers of options of these decisions.
	RecordedOptions, AskedOptions int
	// Overlay is set if the recording has choices that only a program built with simrun's overlay asks for, and this
	// program was built without it.
	Overlay bool `json:",omitempty"`
}

// Exact reports whether this program was built with simrun's overlay, so that the run determines the choices of the Go
// runtime.
func Exact() bool { return goruntime.Exact() }

// Overlay is the flag of the go command that builds such programs.
const Overlay = "-overlay=\"$(simrun overlay)\""

// NewReplay returns a tape that repeats the choices.
func NewReplay(choices []sim.Choice) *Replay {
	r := &Replay{choices: choices, byID: make(map[id]int, len(choices))}
	for i, c := range choices {
		r.byID[id{c.Kind, c.Actor, c.Occurrence}] = i
	}
	return r
}

// Choose repeats the recorded choice.
func (r *Replay) Choose(d sim.Decision) int {
	at := r.next
	r.next++
	if at < len(r.choices) {
		if c := &r.choices[at]; c.Kind == d.Kind && c.Actor == d.Actor && c.Occurrence == d.Occurrence && c.Options == d.Options {
			return c.Option
		}
	}
	r.diverge(at, d)
	if i, ok := r.byID[id{d.Kind, d.Actor, d.Occurrence}]; ok && r.choices[i].Option < d.Options {
		return r.choices[i].Option
	}
	return 0
}

// ChooseSelect repeats the recorded choice of the decision, if there is one.
func (r *Replay) ChooseSelect(d sim.Decision) int {
	if i, ok := r.byID[id{d.Kind, d.Actor, d.Occurrence}]; !ok || r.choices[i].Option == 0 {
		return 0
	}
	return r.Choose(d)
}

func (r *Replay) diverge(at int, d sim.Decision) {
	if r.diverged != nil {
		return
	}
	r.diverged = &Divergence{Decision: at + 1, Asked: d.ID(), AskedOptions: d.Options}
	if at < len(r.choices) {
		r.diverged.Recorded, r.diverged.RecordedOptions = r.choices[at].ID(), r.choices[at].Options
	}
}

// Diverged returns the first place at which the run departed from the recording, or nil.
// A run that has asked fewer decisions than were recorded has diverged at its end.
func (r *Replay) Diverged() *Divergence {
	if r.diverged == nil && r.next < len(r.choices) {
		c := r.choices[r.next]
		return &Divergence{Decision: r.next + 1, Recorded: c.ID(), RecordedOptions: c.Options}
	}
	return r.diverged
}
