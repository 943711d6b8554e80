package confirm

import (
	"math"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// sent is a message of the trace, with the event of its arrival, or of its loss.
type sent struct {
	*Message
	event *sim.Event
	asks  bool // it is a client's
	// id is set on requests that are steps: their number there.
	id int
}

// arrived reports whether it has reached its receiver.
func (m *sent) arrived() bool { return m.event.Kind == sim.EventDeliver }

// converse reads the messages of all connections.
func (r *reading) converse() {
	conversations := map[int]Conversation{}
	for i := range r.trace.Events {
		e := &r.trace.Events[i]
		asks := slices.Contains(r.clients, e.Peer) && slices.Contains(r.nodes, e.Actor)
		if !asks && !(slices.Contains(r.clients, e.Actor) && slices.Contains(r.nodes, e.Peer)) || len(e.Payload) == 0 {
			continue
		}
		c := conversations[e.Conn]
		if c == nil {
			c = r.store.Converse()
			conversations[e.Conn] = c
		}
		read := c.Server
		if asks {
			read = c.Client
		}
		list, _ := read(e.Payload) // an unreadable message is no step
		for i := range list {
			r.sent = append(r.sent, sent{Message: &list[i], event: e, asks: asks})
		}
	}
}

// execution plans the request that changed a record, and the fate of its answer. Requests in one segment are executed
// together: the last one that does not wait at the server has the effect.
func (r *reading) execution(o *model.Observation) error {
	var segment []*sent
	for i := range r.sent {
		m := &r.sent[i]
		e := m.event
		if e.Seq >= o.Seq {
			break
		}
		if !m.asks || !m.arrived() || m.Signature == "" || r.free(m.Signature) || r.place(e.Actor) != o.Node && r.ensemble == nil || e.Peer != o.By.Client || e.Conn != o.By.Conn {
			continue
		}
		if len(segment) > 0 && segment[0].event != e {
			segment = nil
		}
		segment = append(segment, m)
	}
	if left := r.trace.LeftOut(); len(segment) == 0 && left != "" {
		return cannot("%s changes a record (event %d), and the request that did it is not in the trace: %s", o.Node, o.Seq, left)
	}
	if len(segment) == 0 {
		return cannot("%s changes a record, and no request of a client did it (event %d)", o.Node, o.Seq)
	}
	by := segment[len(segment)-1]
	for _, m := range segment {
		if !r.store.Blocks(m.Signature) {
			by = m
		}
	}
	if by.id != 0 {
		return nil // one request, several records
	}
	for _, m := range segment {
		if m == by || !r.store.Blocks(m.Signature) {
			r.execute(m, r.trace.History.Operation(o.By.Op), m != by)
		}
	}
	seq, at := o.Seq, o.At
	if r.ensemble != nil {
		if fails := r.failsBefore(by.event, o.Seq); fails != nil { // others commit it without this member; here, just before
			seq, at = fails.Seq-1, fails.At
		} else if a := r.answering(by); a != nil {
			r.changes = append(r.changes, change{a.Version, o.Seq, o.At})
		}
		r.postpone(by, seq, at)
	}
	if r.passesOn(by.event.Actor) && !r.store.Blocks(by.Signature) { // it arrives at the node behind later
		r.postpone(by, seq, at)
	}
	r.add(step{kind: takes, seq: seq, at: at, client: by.event.Peer, node: by.event.Actor, request: by.Signature, of: by.id, seen: o})
	return nil
}

// failsBefore returns the time, after a request and before an event, at which the member that received the request, or the
// leader, crashes, hangs or is cut off from others; nil if there is none.
func (r *reading) failsBefore(request *sim.Event, seq int64) *model.Observation {
	leader := r.nodes[0]
	for i := range r.trace.History.Observations {
		o := &r.trace.History.Observations[i]
		fails := o.Kind == model.Crashed || o.Kind == model.Paused
		switch {
		case o.Seq >= seq:
			return nil
		case o.Kind == model.Promoted && o.Seq < request.Seq:
			leader = o.Node
		case o.Seq < request.Seq:
		case fails && (o.Node == request.Actor || o.Node == leader), o.Kind == model.Parted && o.Sides != nil && splits(o.Sides, r.nodes):
			return o
		}
	}
	return nil
}

// execute plans a request for an operation, nil if unknown, and the fate of its answer.
func (r *reading) execute(m *sent, op *model.Operation, idle bool) {
	e := m.event
	r.executed++
	m.id = r.executed
	s := step{kind: executes, seq: e.Seq, at: e.At, client: e.Peer, node: e.Actor, request: m.Signature, sent: e.Sent, late: r.heldUp(e), idle: idle, op: op, id: m.id}
	s.refused = r.refused(m)
	r.add(s)
	if stop := r.stopOf(e); stop != nil {
		before := s
		before.kind, before.seq, before.at, before.id, before.of = sends, stop.Seq, stop.At, 0, m.id
		r.add(before)
	}
	if a := r.answerTo(m); a != nil {
		if r.diedBefore(e.Peer, a.Seq) {
			return // no client is there to get it
		}
		s.kind = answers
		if a.Kind != sim.EventDeliver {
			s.kind = loses
		}
		s.seq, s.at, s.id, s.of = a.Seq, a.At, 0, m.id
		r.add(s)
	}
}

// matters reports whether the fate of a request without an effect may matter: it was late, or its answer was late or lost.
// The answer to a free request is not lost if its client hung up.
func (r *reading) matters(m *sent, answer *sim.Event) bool {
	late := m.event.Late || answer != nil && answer.Late
	if r.free(m.Signature) {
		return late || r.heldUp(m.event) || answer != nil && answer.Kind == sim.EventReset
	}
	return late || answer != nil && answer.Kind != sim.EventDeliver
}

// heldUp reports whether a request, or an earlier one of its connection that arrived with it, is late: its client may have
// hung up.
func (r *reading) heldUp(e *sim.Event) bool {
	return slices.ContainsFunc(r.sent, func(m sent) bool {
		o := m.event
		return m.asks && o.Conn == e.Conn && o.At == e.At && (o.Late || o.At-o.Sent > margin)
	})
}

// stopOf returns where a request's client stops between sending it and its arrival, nil if it does not.
func (r *reading) stopOf(e *sim.Event) *model.Observation {
	for i := range r.trace.History.Observations {
		o := &r.trace.History.Observations[i]
		if o.Seq > e.Seq {
			break
		}
		if o.Node == e.Peer && (o.Kind == model.Paused || o.Kind == model.Crashed) && o.At >= e.Sent {
			return o
		}
	}
	return nil
}

// answering returns the message that answers a request, nil if there is none.
func (r *reading) answering(m *sent) *sent {
	for i := range r.sent {
		a := &r.sent[i]
		if a.event.Seq > m.event.Seq && !a.asks && a.event.Conn == m.event.Conn && a.Number == m.Number {
			return a
		}
	}
	return nil
}

// refused reports whether a request must be made in another form.
func (r *reading) refused(m *sent) bool {
	a := r.answering(m)
	return a != nil && r.store.Refused(a.Bytes)
}

// diedBefore reports whether a client has crashed before an event.
func (r *reading) diedBefore(client string, seq int64) bool {
	return slices.ContainsFunc(r.trace.History.Observations, func(o model.Observation) bool {
		return o.Kind == model.Crashed && o.Node == client && o.Seq < seq
	})
}

// answerTo returns the event by which a request's client gets its answer, or loses it, if the answer is delivered at all.
func (r *reading) answerTo(m *sent) (first *sim.Event) {
	if m.Number == 0 {
		return nil
	}
	e := m.event
	if a := r.answering(m); a != nil {
		first = a.event
	}
	for i := range r.trace.Events {
		a := &r.trace.Events[i]
		if first != nil && a.Seq >= first.Seq {
			break
		}
		if a.Seq > e.Seq && a.Conn == e.Conn && a.Actor == e.Peer && (a.Kind == sim.EventReset || a.Kind == sim.EventClose) {
			return a
		}
	}
	return first
}

// requests records the requests without an effect, and plans those that were late, or whose answers were late or lost, and
// messages that come unasked.
func (r *reading) requests() {
	for i := range r.sent {
		m := &r.sent[i]
		e := m.event
		if e.Seq > r.until {
			if m.asks && r.free(m.Signature) && r.heldUp(e) {
				r.beyond = append(r.beyond, step{kind: executes, client: e.Peer, request: m.Signature, sent: e.Sent})
			}
			continue
		}
		if !m.asks && m.Number == 0 && m.Signature != "" {
			r.unasked(m)
		}
		if !m.arrived() || m.id != 0 || m.Signature == "" || !m.asks {
			continue
		}
		answer := r.answerTo(m)
		switch {
		case r.store.Blocks(m.Signature):
			r.passing = append(r.passing, passing{e.Peer, e.Actor, m.Signature, int(r.passedOn(m))})
		case r.failing && r.turnedAway(m, answer): // as often as a member without a leader does it here
		case r.ensemble != nil && !r.free(m.Signature), r.matters(m, answer):
			r.execute(m, nil, true)
			if s := &r.steps[r.stepOf(m)]; r.failing && (r.vanishes(m) || r.fails(m)) {
				s.vanishes, s.fails = r.vanishes(m), r.fails(m)
				break
			}
			if r.ensemble != nil {
				seq, at := r.served(m)
				r.postpone(m, seq, at)
			}
		case r.refused(m): // as often as the servers refuse it
		default:
			r.passing = append(r.passing, passing{e.Peer, e.Actor, m.Signature, int(r.passedOn(m))})
		}
	}
}

// unasked plans a message that comes unasked, if it reaches the client, or is lost by a fault.
func (r *reading) unasked(m *sent) {
	e, s := m.event, step{kind: hears, seq: m.event.Seq, at: m.event.At, client: m.event.Actor, request: m.Signature}
	if !m.arrived() {
		s.kind = misses
		if !slices.ContainsFunc(r.trace.History.Observations, func(o model.Observation) bool {
			return o.Kind == model.ReplyLost && o.Node == e.Actor && o.At == e.At
		}) {
			return // its connection ends in any case
		}
	}
	r.add(s)
}

// turnedAway reports whether a request is the first one of its connection, and its member closes the connection instead of
// answering: it serves no clients then.
func (r *reading) turnedAway(m *sent, answer *sim.Event) bool {
	first := slices.IndexFunc(r.sent, func(o sent) bool { return o.event.Conn == m.event.Conn })
	return &r.sent[first] == m && r.answering(m) == nil && answer != nil && answer.Kind == sim.EventClose && answer.At-m.event.At < margin
}

// vanishes reports whether a request without an effect was lost with the data that its member had not yet sent to others:
// it has no answer, and nothing that counts comes after it on its connection.
func (r *reading) vanishes(m *sent) bool {
	if m.Number == 0 || r.answering(m) != nil {
		return false
	}
	for i := range r.sent {
		if o := &r.sent[i]; o.asks && o.arrived() && o.event.Conn == m.event.Conn && o.event.Seq > m.event.Seq && o.Signature != "" && !r.free(o.Signature) {
			return false
		}
	}
	return true
}

// fails reports whether the members lost a request without an effect, and answered that later: an answer at once is a
// refusal for another reason.
func (r *reading) fails(m *sent) bool {
	a := r.answering(m)
	return a != nil && a.Failed && a.event.Sent-m.event.At > time.Second
}

// stepOf returns the place of the step that executes a request.
func (r *reading) stepOf(m *sent) int {
	return slices.IndexFunc(r.steps, func(s step) bool { return s.id == m.id })
}

// postpone moves a request's execution to another event: a later one, unless its answer does not know a change.
func (r *reading) postpone(m *sent, seq int64, at time.Duration) {
	for i := range r.steps {
		if s := &r.steps[i]; s.id == m.id {
			s.seq, s.at = seq, at
		}
	}
}

// change is a change of records: the version that has it, and its place in the trace.
type change struct {
	version int64
	seq     int64
	at      time.Duration
}

// served returns the event at which a request was served: the last one of its node before its answer left, and before the
// first change that the answer does not know, although others may. A request that was sent after that change is served on
// arrival.
func (r *reading) served(m *sent) (seq int64, at time.Duration) {
	seq, at = m.event.Seq, m.event.At
	answer, unknown := r.answerTo(m), r.unknownTo(r.answering(m))
	switch {
	case answer == nil:
		return seq, at
	case unknown.seq < seq && m.event.Sent <= unknown.at:
		return unknown.seq - 1, unknown.at
	case unknown.seq < seq:
		unknown.seq = math.MaxInt64
	}
	for i := range r.trace.Events {
		e := &r.trace.Events[i]
		if e.Seq >= answer.Seq || e.At > answer.Sent || e.Seq >= unknown.seq {
			break
		}
		if e.Actor == m.event.Actor && e.Seq > seq {
			seq, at = e.Seq, e.At
		}
	}
	return seq, at
}

// unknownTo returns the first change that an answer does not know, one that never comes if it knows all.
func (r *reading) unknownTo(answer *sent) change {
	first := change{seq: math.MaxInt64}
	if answer == nil || answer.Version == 0 {
		return first
	}
	for _, c := range r.changes {
		if c.version > answer.Version && c.seq < first.seq {
			first = c
		}
	}
	return first
}

// order sorts the steps, and replaces events and requests by the numbers of steps.
func (r *reading) order() {
	slices.SortStableFunc(r.steps, func(a, b step) int {
		if a.seq == b.seq && a.kind != b.kind && (a.kind == sends || b.kind == sends) { // before the stop
			return map[bool]int{true: -1, false: 1}[a.kind == sends]
		}
		return int(a.seq - b.seq)
	})
	at := map[int]int{}
	for i := range r.steps {
		if id := r.steps[i].id; id != 0 {
			at[id] = i
		}
	}
	for i := range r.steps {
		if s := &r.steps[i]; s.of != 0 {
			s.of = at[s.of]
		}
	}
	for i := range r.passing {
		p := &r.passing[i]
		p.step, _ = slices.BinarySearchFunc(r.steps, int64(p.step), func(s step, seq int64) int { return int(s.seq - seq) })
	}
}
