package sim

import "time"

// pipe carries segments from one actor to another: one direction of a
// connection, half of its handshake, or what [Network.Propagate] is used for.
// It is a FIFO: a segment that a cut holds keeps back those behind it.
type pipe struct {
	world    *World
	from, to *Actor
	conn     *Conn     // the connection of which it is one direction, or nil
	kind     EventKind // of the arrivals
	lane     int64
	departed time.Duration // when the last segment leaves
	last     time.Duration // when the last segment arrives
	step     int64         // in which the last segment was sent
	flying   []*segment    // in the order of their sending, those held too
	spare    *segment      // one that has arrived, to use its memory again
	arrive   func(*segment)
}

// segment is what one Write or Close puts on its way.
type segment struct {
	pipe  *pipe
	data  []byte
	fin   bool // the end of the stream
	task  *Task
	sent  time.Duration
	due   time.Duration
	late  bool
	held  bool    // a cut holds it, or has held it
	stuck func()  // is called when a cut holds it for the first time, if set
	event pending // its arrival
	// message is called when it arrives, if it belongs to no connection.
	message func(sent time.Duration, late bool)
}

// send puts a segment on its way at the present instant, or at the given
// later one, but not before those that were sent before it.
func (p *pipe) send(depart time.Duration, data []byte, fin bool, t *Task) {
	travel, late := p.world.net.latency(p.from, p.to, p.conn.Timeout(), t)
	p.departed = max(depart, p.departed, p.world.now, p.from.occupied)
	p.step = p.world.steps.Load()
	g := p.fresh()
	*g = segment{data: data, fin: fin, task: t, sent: p.departed, due: p.departed + travel, late: late}
	p.carry(g)
}

// fresh is memory for a segment.
func (p *pipe) fresh() *segment {
	g := p.spare
	if p.spare = nil; g == nil {
		g = &segment{}
	}
	return g
}

// carry puts a segment on its way and answers when it arrives.
func (p *pipe) carry(g *segment) time.Duration {
	g.pipe = p
	g.event.shows = p.world.shown.segment
	p.world.shown.segment = nil
	p.flying = append(p.flying, g)
	return p.dispatch(g)
}

// dispatch schedules a segment's arrival, behind all that the pipe carries
// already.
func (p *pipe) dispatch(g *segment) time.Duration {
	g.event = pending{
		at: max(g.due, p.last), kind: p.kind, actor: p.to, from: p.from, lane: p.lane, vital: true, segment: g, shows: g.event.shows,
	}
	p.last = p.world.schedule(&g.event).at
	return p.last
}

// land is a segment's arrival, unless a cut holds it.
func (g *segment) land() {
	p := g.pipe
	if p.world.net.held(g) {
		if !g.held && g.stuck != nil {
			g.stuck()
		}
		g.held = true
		return
	}
	last := copy(p.flying, p.flying[1:]) // FIFO: it was the first
	p.flying[last] = nil
	p.flying = p.flying[:last]
	p.arrive(g)
	p.spare = g
}

// resend dispatches what a cut has held. What is still under way arrives after it.
func (p *pipe) resend() {
	p.last = 0
	for _, g := range p.flying {
		if g.event.index < 0 {
			p.dispatch(g)
			continue
		}
		p.world.requeue(&g.event, max(g.event.at, p.last))
		p.last = g.event.at
	}
}

// lose drops all that the pipe carries, and logs an event for each segment.
func (p *pipe) lose(logged func(g *segment) Event) {
	for _, g := range p.flying {
		p.world.discard(&g.event)
		p.world.shown.by = g.event.shows
		p.world.Log(logged(g))
	}
	p.flying = nil
}

// NewLane returns a new FIFO for [Network.Propagate].
func (n *Network) NewLane() int64 {
	p := &pipe{world: n.world, kind: EventDeliver, lane: -1 - int64(len(n.pipes))}
	p.arrive = func(s *segment) { s.message(s.sent, s.late) }
	n.pipes = append(n.pipes, p)
	return p.lane
}

// Propagate sends a message from one actor to another, with the latency of a
// segment, and calls fire when it arrives. It is for what is no connection, such as a
// replication stream. The lane, made by [Network.NewLane], is the FIFO of all messages
// between the two. The result is the time of arrival, which is not before due; if a
// cut holds the message, it arrives later.
func (n *Network) Propagate(from, to *Actor, lane int64, due time.Duration, fire func(sent time.Duration, late bool)) (arrival time.Duration) {
	p := n.pipes[-1-lane]
	p.from, p.to, p.last = from, to, max(p.last, due)
	travel, late := n.latency(from, to, 0, nil)
	g := p.fresh()
	sent := max(n.world.now, from.occupied)
	*g = segment{sent: sent, due: sent + travel, late: late, message: fire}
	return p.carry(g)
}
