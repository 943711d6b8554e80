package sim

// next chooses which event goes first among those that are due in the earliest
// window. The choice stands until that event is performed, cancelled or held up,
// or an injector has changed the world.
func (w *World) next() *pending {
	if c := w.committed; c != nil && !c.cancelled.Load() && !c.held() {
		return c
	}
	w.committed = nil
	first := w.first()
	if first == nil || w.moment < first.at {
		return first // decide when the moment has come
	}
	w.committed = first
	if w.queue.crowded(first.at) {
		w.committed = w.pick(w.ready(first))
	}
	return w.committed
}

// first is the earliest event that may happen, or nil. On the way to it,
// events that have to wait for a paused process move behind the pause. Those of
// a crashed one leave the queue; who waits for them is released when the run ends.
func (w *World) first() *pending {
	for {
		p := w.queue.first()
		if p == nil || !p.held() {
			return p
		}
		if own := p.actor.process; own.crashed {
			w.discard(p)
			w.stranded = append(w.stranded, p)
		} else {
			w.requeue(p, max(own.heldUntil, w.now)+1)
		}
	}
}

// ready lists the events that may go first, in the queue's order: those due in
// the same window, without those that would overtake another of their lane. The list is
// good until the next call.
func (w *World) ready(first *pending) []*pending {
	ready, taken := w.readyBuffer[:0], w.takenBuffer[:0]
	for p := first; p != nil && p.at <= first.at; p = w.queue.first() {
		w.queue.remove(p)
		taken = append(taken, p)
		if !p.held() && !overtakes(p, ready) {
			ready = append(ready, p)
		}
	}
	for _, p := range taken {
		w.queue.add(p)
	}
	w.readyBuffer, w.takenBuffer = ready, taken
	return ready
}

// overtakes reports whether one of the others is an earlier event of its lane.
func overtakes(p *pending, others []*pending) bool {
	if p.lane == 0 {
		return false
	}
	for _, o := range others {
		if o.lane == p.lane {
			return true
		}
	}
	return false
}

// pick asks which of the events goes first.
func (w *World) pick(ready []*pending) *pending {
	if len(ready) == 1 {
		return ready[0]
	}
	w.trail.junction(w.decisions, ready)
	w.before = ready[0]
	defer func() { w.before = nil }()
	picked := ready[w.Choose(Decision{Kind: Order, Actor: w.conductor.name, Options: len(ready), Candidates: w.candidates(ready)})]
	if w.config.Record {
		picked.shows = append(picked.shows, len(w.choices))
	}
	return picked
}

// candidates describes the events to the tape.
func (w *World) candidates(ready []*pending) []Candidate {
	w.candidateBuffer = w.candidateBuffer[:0]
	for _, p := range ready {
		w.candidateBuffer = append(w.candidateBuffer, Candidate{p.serial, p.actor.id, p.from.id})
	}
	return w.candidateBuffer
}
