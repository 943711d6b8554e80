package sim

import "time"

// Trail tells what depended on what in a run. Two events are dependent if they
// happen to the same actor, if one leads to the other, if both have added to
// what is observed from outside (marks and notes, whose order verdicts depend
// on), or if a fault struck in one of them. All else may be swapped, and
// nothing but the order of independent events changes: times are in whole
// windows, and no clock that code can read tells two events of a window apart.
type Trail struct {
	Steps     []TrailStep
	Junctions []Junction

	asking uint64 // of the decisions asked about what comes next
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

// Junction is an order decision: before step number Step, the run's decision
// number Decision chose among these events, named by their serials.
type Junction struct {
	Decision, Step int
	Ready          []int64
}

// The methods are no-ops on a nil Trail: most runs have none.

// present is the step that is under way, -1 before the first.
func (t *Trail) present() int {
	if t == nil {
		return 0
	}
	return len(t.Steps) - 1
}

func (t *Trail) add(s TrailStep) {
	s.label = hashUint(hashUint(s.label, uint64(s.At)), t.asking)
	t.asking = 0
	t.Steps = append(t.Steps, s)
}

// perform begins the step of an event. One that comes in a later window than
// its own, because that had too many, is fixed.
func (t *Trail) perform(now time.Duration, p *pending, asked int, spilled bool) {
	if t != nil {
		t.add(TrailStep{
			Serial: p.serial, Actor: p.actor.id, Cause: p.cause, At: now, Asked: asked,
			Fixed: spilled || p.kind == EventFault, label: hashString(fnvOffset, string(p.kind)),
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
	if t == nil || len(ready) < 2 {
		return
	}
	j := Junction{Decision: decision, Step: len(t.Steps), Ready: make([]int64, len(ready))}
	for i, p := range ready {
		j.Ready[i] = p.serial
	}
	t.Junctions = append(t.Junctions, j)
}

// chose notes an answer that is not the calm one. Orders are seen in the steps.
func (t *Trail) chose(k Kind, option int, ahead bool) {
	if t == nil || option == 0 || k == Order {
		return
	}
	h := hashUint(hashString(fnvOffset, string(k)), uint64(option))
	if n := len(t.Steps); n > 0 && !ahead {
		t.Steps[n-1].label = hashUint(t.Steps[n-1].label, h)
		return
	}
	t.asking = hashUint(t.asking, h)
}

// logged notes what the step adds to the log.
func (t *Trail) logged(k EventKind) {
	if t == nil || len(t.Steps) == 0 {
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
	all := fnvOffset                       // of the last visible step
	for i, s := range t.Steps {
		for s.Actor >= len(actors) {
			actors = append(actors, fnvOffset)
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
			all = h
		}
		actors[s.Actor], hashes[i] = h, h
	}
	for _, a := range actors {
		all = hashUint(all, a)
	}
	return all
}
