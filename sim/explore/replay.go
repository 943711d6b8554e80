package explore

import "github.com/lockpick-dev/lockpick/sim"

// Replay is a tape that repeats recorded choices. Choices are found by the
// identity of their decisions, so that a tape still means something when the
// code has changed a little; what it has no choice for is calm.
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

// Divergence is where a run asked something else than what was recorded.
type Divergence struct {
	// Decision is the number of the decision in the recording, from 1.
	Decision int
	// Recorded is the identity that the recording has there, empty if it has
	// come to its end; Asked is what the run asked.
	Recorded, Asked string
	// Options are how many the recording and the run had.
	RecordedOptions, AskedOptions int
}

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

func (r *Replay) diverge(at int, d sim.Decision) {
	if r.diverged != nil {
		return
	}
	r.diverged = &Divergence{Decision: at + 1, Asked: d.ID(), AskedOptions: d.Options}
	if at < len(r.choices) {
		r.diverged.Recorded, r.diverged.RecordedOptions = r.choices[at].ID(), r.choices[at].Options
	}
}

// Diverged is the first decision at which the run did not ask what was
// recorded, or nil. A run that has asked less than what was recorded has
// diverged at its end.
func (r *Replay) Diverged() *Divergence {
	if r.diverged == nil && r.next < len(r.choices) {
		c := r.choices[r.next]
		return &Divergence{Decision: r.next + 1, Recorded: c.ID(), RecordedOptions: c.Options}
	}
	return r.diverged
}
