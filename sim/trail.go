package sim

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim/internal/digest"
)

// Trail records which events of a run depend on which. Two events are dependent if they
// have the same target, if one leads to the other, if both add marks or notes (verdicts
// depend on their order), or if a fault struck in one of them. Any other two events may
// be swapped, which changes only their order: times are in whole windows, and neither
// World.Now nor a process's Clock distinguishes two events of one window. Package
// time's clock does: see the package's comment.
type Trail struct {
	Steps     []TrailStep
	Junctions []Junction

	setUp     uint64 // hash of the choices before the first step
	upcoming  uint64 // hash of the injectors' choices about the next step
	injecting bool   // injectors are being asked about the next step
	fixed     bool   // the next step is fixed
	scheduled int    // events that the present step has scheduled
	asked     int    // decisions, in the whole run
	lastTimer int    // the last step of a timer of package time, -1 if there is none
}

// TrailStep is an event with its effects before the next one, or the firing of a
// timer of package time.
type TrailStep struct {
	Serial int64 // of the event, 0 if the step is not an event
	Actor  int   // the number of the target
	Cause  int   // the step that scheduled it, -1 if none did
	At     time.Duration
	// Visible is set if it added to the marks and notes of the run.
	Visible bool
	// Fixed is set if nothing may be swapped with it: a fault struck, or it has an
	// effect outside the order of events.
	Fixed bool
	asked int    // the number of decisions asked before it
	label uint64 // a hash of the step itself, without its dependencies
}

// AskedUntil returns the number of decisions asked by the end of step i.
func (t *Trail) AskedUntil(i int) int {
	if i+1 < len(t.Steps) {
		return t.Steps[i+1].asked
	}
	return t.asked
}

// Exact reports whether swapping independent events from step i on changes only their
// order. It may change more if a timer of package time fires later, since that timer is
// not in whole windows.
func (t *Trail) Exact(i int) bool { return t.lastTimer < i }

// Junction is an order decision: before step number Step, the run's decision number
// Decision chose among these events, given by their serials.
type Junction struct {
	Decision, Step int
	Ready          []int64
}

// The methods below are no-ops on a nil Trail: most runs have none.

// origin returns the step that schedules an event now, -1 before the first, and the
// event's number among those of that step. Events that an injector schedules belong to
// the next step, since that is a strike.
func (t *Trail) origin() (cause, nth int) {
	if t == nil {
		return 0, 0
	}
	t.scheduled++
	if t.injecting {
		return len(t.Steps), t.scheduled
	}
	return len(t.Steps) - 1, t.scheduled
}

// setInjecting sets whether injectors are being asked.
func (t *Trail) setInjecting(on bool) {
	if t == nil {
		return
	}
	if t.injecting = on; on {
		t.scheduled = 0
	}
}

// add begins a step.
func (t *Trail) add(s TrailStep) {
	s.label = digest.Uint(digest.Uint(s.label, uint64(s.At)), t.upcoming)
	s.Fixed = s.Fixed || t.fixed
	t.upcoming, t.fixed = 0, false
	if !t.injecting {
		t.scheduled = 0
	}
	t.Steps = append(t.Steps, s)
}

// beginEvent begins the step of an event. The step is fixed if the event has spilled
// into a later window, because its own had too many events.
func (t *Trail) beginEvent(now time.Duration, p *pending, asked int, spilled bool) {
	if t != nil {
		t.add(TrailStep{
			Serial: p.serial, Actor: p.actor.id, Cause: p.cause, At: now, asked: asked,
			Fixed: spilled || p.kind == EventFault, label: digest.Uint(digest.String(digest.Offset, string(p.kind)), uint64(p.nth)),
		})
	}
}

// beginTimer begins the step of a timer of package time.
func (t *Trail) beginTimer(now time.Duration, a *Actor, asked int) {
	if t == nil {
		return
	}
	if n := len(t.Steps); n > 0 && t.Steps[n-1].Serial == 0 && t.Steps[n-1].At == now && t.Steps[n-1].Actor == a.id {
		return
	}
	t.lastTimer = len(t.Steps)
	t.add(TrailStep{Actor: a.id, Cause: -1, At: now, asked: asked, Fixed: true})
}

// beginStrike begins the step of a fault that strikes between two events.
func (t *Trail) beginStrike(now time.Duration, a *Actor, asked int) {
	if t != nil {
		t.add(TrailStep{Actor: a.id, Cause: -1, At: now, asked: asked, Fixed: true})
	}
}

// junction notes an order decision.
func (t *Trail) junction(decision int, ready []*pending) {
	if t == nil {
		return
	}
	j := Junction{Decision: decision, Step: len(t.Steps), Ready: make([]int64, len(ready))}
	for i, p := range ready {
		j.Ready[i] = p.serial
	}
	t.Junctions = append(t.Junctions, j)
}

// chose notes an answer other than the calm one. It ignores order decisions: the steps
// show them.
func (t *Trail) chose(d *Decision, option int) {
	if t == nil || option == 0 || d.Kind == Order {
		return
	}
	at := &t.setUp
	switch n := len(t.Steps); {
	case t.injecting:
		at = &t.upcoming
	case n > 0:
		at = &t.Steps[n-1].label
	}
	h := digest.String(digest.String(*at, string(d.Kind)), d.Actor)
	*at = digest.Uint(digest.Uint(h, uint64(d.Occurrence)), uint64(option))
}

// close ends the trail with its run.
func (t *Trail) close(asked int) {
	if t != nil {
		t.asked = asked
	}
}

// logged notes that the step adds an event to the log.
func (t *Trail) logged(k EventKind) {
	switch {
	case t == nil:
		return
	case t.injecting:
		t.fixed = true
		return
	case len(t.Steps) == 0:
		return
	}
	s := &t.Steps[len(t.Steps)-1]
	s.Visible = s.Visible || k == EventMark || k == EventNote
	s.Fixed = s.Fixed || k == EventFault
}

// Class returns a hash of the run up to the order of independent events: two runs
// of one world with the same class can be turned into each other by swapping
// such events, and all verdicts on them are the same.
func (t *Trail) Class() uint64 {
	hashes := make([]uint64, len(t.Steps))       // of each step with all that it depends on
	var actors []uint64                          // of the last step of each actor
	fixed := digest.Uint(digest.Offset, t.setUp) // of the last fixed step
	all := fixed                                 // of the last visible step
	for i, s := range t.Steps {
		for s.Actor >= len(actors) {
			actors = append(actors, fixed)
		}
		h := digest.Uint(digest.Uint(actors[s.Actor], uint64(s.Actor)), s.label)
		if s.Cause >= 0 {
			h = digest.Uint(h, hashes[s.Cause])
		}
		if s.Visible || s.Fixed {
			h = digest.Uint(h, all)
			all = h
		}
		if s.Fixed {
			for _, a := range actors {
				h = digest.Uint(h, a)
			}
			for a := range actors {
				actors[a] = h
			}
			all, fixed = h, h
		}
		actors[s.Actor], hashes[i] = h, h
	}
	for _, a := range actors {
		all = digest.Uint(all, a)
	}
	return all
}
