package sim

import "time"

// Trail tells what depended on what in a run. Two events are dependent if they
// happen to the same actor, if one leads to the other, if both have added to
// what is observed from outside (marks and notes, whose order verdicts depend
// on), or if a fault struck in one of them. All else may be swapped, and
// nothing but the order of independent events changes: times are in whole
// windows, and neither World.Now nor a process's Clock tells two events of a
// window apart. Package time's clock does: see the package's comment.
type Trail struct {
	Steps     []TrailStep
	Junctions []Junction

	setUp   uint64 // of the choices before the first step
	asking  uint64 // of those about what comes next
	ahead   bool   // injectors are asked about what comes next
	struck  bool   // what comes next is fixed
	bred    int    // events that the present step has scheduled
	asked   int    // decisions, in the whole run
	loosely int    // the last step of a timer of package time
}

// TrailStep is an event with all that it led to before the next one, or what
// a timer of package time did.
type TrailStep struct {
	Serial int64 // names the event
	Actor  int
	Cause  int // the step that scheduled it, -1 if none did
	At     time.Duration
	// Asked is how many decisions were asked before it.
	Asked int
	// Visible is set if it added to the marks and notes of the run.
	Visible bool
	// Fixed is set if nothing may be swapped with it: a fault struck, or
	// something came about that the order of events does not govern.
	Fixed bool
	label uint64
}

// AskedUntil is how many decisions had been asked when step i was through.
func (t *Trail) AskedUntil(i int) int {
	if i+1 < len(t.Steps) {
		return t.Steps[i+1].Asked
	}
	return t.asked
}

// Exact reports whether swapping independent events from step i on leaves no
// mark on anything. It may if a timer of package time fires later: that one is
// not in whole windows.
func (t *Trail) Exact(i int) bool { return t.loosely < i }

// Junction is an order decision: before step number Step, the run's decision
// number Decision chose among these events, named by their serials.
type Junction struct {
	Decision, Step int
	Ready          []int64
}

// The methods are no-ops on a nil Trail: most runs have none.

// origin names an event that is being scheduled: by the step that is under
// way, -1 before the first, as which of its events. What an injector schedules
// belongs to the step that comes next, since it is a strike.
func (t *Trail) origin() (cause, nth int) {
	if t == nil {
		return 0, 0
	}
	t.bred++
	if t.ahead {
		return len(t.Steps), t.bred
	}
	return len(t.Steps) - 1, t.bred
}

// look says whether injectors are being asked.
func (t *Trail) look(ahead bool) {
	if t == nil {
		return
	}
	if t.ahead = ahead; ahead {
		t.bred = 0
	}
}

func (t *Trail) add(s TrailStep) {
	s.label = hashUint(hashUint(s.label, uint64(s.At)), t.asking)
	s.Fixed = s.Fixed || t.struck
	t.asking, t.struck = 0, false
	if !t.ahead {
		t.bred = 0
	}
	t.Steps = append(t.Steps, s)
}

// perform begins the step of an event. One that comes in a later window than
// its own, because that had too many, is fixed.
func (t *Trail) perform(now time.Duration, p *pending, asked int, spilled bool) {
	if t != nil {
		t.add(TrailStep{
			Serial: p.serial, Actor: p.actor.id, Cause: p.cause, At: now, Asked: asked,
			Fixed: spilled || p.kind == EventFault, label: hashUint(hashString(fnvOffset, string(p.kind)), uint64(p.nth)),
		})
	}
}

// loose begins the step of a timer of package time.
func (t *Trail) loose(now time.Duration, a *Actor, asked int) {
	if t == nil {
		return
	}
	if n := len(t.Steps); n > 0 && t.Steps[n-1].Serial == 0 && t.Steps[n-1].At == now && t.Steps[n-1].Actor == a.id {
		return
	}
	t.loosely = len(t.Steps)
	t.add(TrailStep{Actor: a.id, Cause: -1, At: now, Asked: asked, Fixed: true})
}

// strike is a step of its own: a fault struck between two events.
func (t *Trail) strike(now time.Duration, a *Actor, asked int) {
	if t != nil {
		t.add(TrailStep{Actor: a.id, Cause: -1, At: now, Asked: asked, Fixed: true})
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

// chose notes an answer that is not the calm one. Orders are seen in the steps.
func (t *Trail) chose(d *Decision, option int) {
	if t == nil || option == 0 || d.Kind == Order {
		return
	}
	at := &t.setUp
	switch n := len(t.Steps); {
	case t.ahead:
		at = &t.asking
	case n > 0:
		at = &t.Steps[n-1].label
	}
	h := hashString(hashString(*at, string(d.Kind)), d.Actor)
	*at = hashUint(hashUint(h, uint64(d.Occurrence)), uint64(option))
}

// close ends the trail with its run.
func (t *Trail) close(asked int) {
	if t != nil {
		t.asked = asked
	}
}

// logged notes what the step adds to the log.
func (t *Trail) logged(k EventKind) {
	switch {
	case t == nil:
		return
	case t.ahead:
		t.struck = true
		return
	case len(t.Steps) == 0:
		return
	}
	s := &t.Steps[len(t.Steps)-1]
	s.Visible = s.Visible || k == EventMark || k == EventNote
	s.Fixed = s.Fixed || k == EventFault
}

// Class is a hash of the run up to the order of independent events: two runs
// of one world with the same class can be turned into each other by swapping
// such events, and all verdicts on them are the same.
func (t *Trail) Class() uint64 {
	hashes := make([]uint64, len(t.Steps)) // of each step with all that it depends on
	var actors []uint64                    // of the last step of each actor
	fixed := hashUint(fnvOffset, t.setUp)  // of the last fixed step
	all := fixed                           // of the last visible step
	for i, s := range t.Steps {
		for s.Actor >= len(actors) {
			actors = append(actors, fixed)
		}
		h := hashUint(hashUint(actors[s.Actor], uint64(s.Actor)), s.label)
		if s.Cause >= 0 {
			h = hashUint(h, hashes[s.Cause])
		}
		if s.Visible || s.Fixed {
			h = hashUint(h, all)
			all = h
		}
		if s.Fixed {
			for _, a := range actors {
				h = hashUint(h, a)
			}
			for a := range actors {
				actors[a] = h
			}
			all, fixed = h, h
		}
		actors[s.Actor], hashes[i] = h, h
	}
	for _, a := range actors {
		all = hashUint(all, a)
	}
	return all
}
