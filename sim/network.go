package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Network carries connections between processes and servers, with TCP's
// semantics as applications see them.
//
//   - Each direction of a connection is a FIFO stream of segments, each with a
//     latency; nothing overtakes within a direction.
//   - Closing does not recall sent data: a request whose client has timed out still
//     arrives, perhaps after the client's next request on another connection.
//   - A reset, or the crash of an end, loses the segments in flight. A process that
//     is killed loses only segments on their way to it.
//   - A cut holds segments, as retransmission does, and delivers them after it has
//     healed. It works in one direction. Resets are held as well, and connection
//     attempts until the dialer gives up. A partition cuts each actor of one side from
//     each of the other.
//   - A dial is accepted, refused, or runs into its timeout.
//
// Its methods are for the conductor. Processes dial with [Process.DialContext].
type Network struct {
	world     *World
	link      Link
	listeners map[string]*listener
	routes    map[string]func() string
	conns     []*Conn // those that are not over, in the order of dials
	dials     int     // so far
	pipes     []*pipe // of lanes -1, -2, ...
	cuts      map[route]*cut
	received  func(*Actor) // of OnReceive
	gathers   *Conn        // whose gathered bytes are being noted, nil if there is none
	left      map[int]bool // the connections whose clients have hung up
	code      userCode     // the lines that sent requests
}

func newNetwork(w *World) *Network {
	return &Network{
		world:     w,
		link:      Link{Base: 200 * time.Microsecond},
		listeners: map[string]*listener{},
		routes:    map[string]func() string{},
		cuts:      map[route]*cut{},
		received:  func(*Actor) {},
		left:      map[int]bool{},
	}
}

// Network returns the world's network.
func (w *World) Network() *Network { return w.net.(*Network) }

// listener is the owner of an address.
type listener struct {
	actor  *Actor
	accept func(*ServerConn) Handler // nil if dials are refused
}

// A Handler is the server's side of a connection. Only the conductor calls it.
type Handler interface {
	// Receive gets the bytes of one segment. The handler may keep them but not change
	// them, since the log has them, too. T is the client's task when it wrote them.
	Receive(data []byte, t *Task)
	// Gone is called once when no more bytes will arrive: the client or the server
	// closed its end, or the connection was reset.
	Gone()
}

// Owing is implemented by a [Handler] that may answer one segment with several.
type Owing interface {
	// Owes reports whether a request is not answered yet.
	Owes() bool
}

// Listen makes the actor accept connections at the address, a host:port with an IP
// literal. The handler that accept returns gets the data.
func (n *Network) Listen(address string, a *Actor, accept func(*ServerConn) Handler) {
	n.listeners[address] = &listener{actor: a, accept: accept}
}

// Close makes an address refuse dials from now on. Its connections stay open.
func (n *Network) Close(address string) {
	if l := n.listeners[address]; l != nil {
		l.accept = nil
	}
}

// Listens reports whether anybody accepts connections at the address.
func (n *Network) Listens(address string) bool {
	return n.listeners[address] != nil && n.listeners[address].accept != nil
}

// Route makes a virtual address lead to the address that resolve returns when a
// connection attempt arrives. If that is empty, the attempt is refused.
func (n *Network) Route(address string, resolve func() string) { n.routes[address] = resolve }

// listener returns the owner of an address now, or of the address to which it leads.
func (n *Network) listener(addr string) *listener {
	if resolve := n.routes[addr]; resolve != nil {
		addr = resolve()
	}
	return n.listeners[addr]
}

// HungUp reports whether the client of a connection, by its number, has hung up. The server may not know it yet.
func (n *Network) HungUp(conn int) bool { return n.left[conn] }

// Conns returns the open connections of the actor, at either end, in the order of
// dials.
func (n *Network) Conns(a *Actor) []*Conn {
	return slices.DeleteFunc(n.connsOf(a), func(c *Conn) bool { return c.server.closed })
}

// connsOf returns the connections of the actor, at either end, that are not yet over at
// both ends.
func (n *Network) connsOf(a *Actor) []*Conn {
	n.conns = slices.DeleteFunc(n.conns, (*Conn).over)
	var list []*Conn
	for _, c := range n.conns {
		if c.process.Actor == a || c.server.actor == a {
			list = append(list, c)
		}
	}
	return list
}

// add puts a connection on the list, in the order of dials.
func (n *Network) add(c *Conn) {
	n.conns = slices.DeleteFunc(n.conns, (*Conn).over)
	i, _ := slices.BinarySearchFunc(n.conns, c.id, func(o *Conn, id int) int { return cmp.Compare(o.id, id) })
	n.conns = slices.Insert(n.conns, i, c)
}

// shutDown ends all connections when the run is over.
func (n *Network) shutDown() {
	for _, c := range n.conns {
		c.abandon()
		if far, is := c.server.handler.(*Conn); is {
			far.abandon()
		}
	}
	n.conns = nil
}

// address is a net.Addr.
type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

// pipe carries segments from one actor to another: one direction of a connection, half
// of its handshake, or messages of [Network.Propagate]. It is a FIFO: a segment that a
// cut holds keeps back those behind it.
type pipe struct {
	world    *World
	from, to *Actor
	conn     *Conn     // the connection of which it is one direction, or nil
	kind     EventKind // of the arrivals
	lane     int64
	departed time.Duration // when the last segment leaves
	last     time.Duration // when the last segment arrives
	step     int64         // the step in which the last segment was sent
	flying   []*segment    // in the order of sending, with held ones
	spare    *segment      // one that has arrived, to use its memory again
	arrive   func(*segment)
}

// segment is the data of one Write, or the end of the stream.
type segment struct {
	pipe  *pipe
	data  []byte
	fin   bool // the end of the stream
	task  *Task
	sent  time.Duration
	due   time.Duration
	late  bool
	code  string  // the line of the user's code that sent it, in a recorded run
	held  bool    // a cut holds it, or has held it
	stuck func()  // is called when a cut holds it for the first time, if set
	event pending // its arrival
	// message is called when it arrives, if it belongs to no connection.
	message func(sent time.Duration, late bool)
}

// send sends a segment at the present instant, or at the given later one, but not
// before those that were sent before it.
func (p *pipe) send(depart time.Duration, data []byte, fin bool, t *Task) {
	travel, late := p.world.Network().latency(p.from, p.to, p.conn.Timeout(), t)
	p.departed = max(depart, p.departed, p.world.now, p.from.occupied)
	p.step = p.world.steps.Load()
	g := p.fresh()
	*g = segment{data: data, fin: fin, task: t, sent: p.departed, due: p.departed + travel, late: late}
	p.carry(g)
}

// fresh returns memory for a segment.
func (p *pipe) fresh() *segment {
	g := p.spare
	if p.spare = nil; g == nil {
		g = &segment{}
	}
	return g
}

// carry sends a segment and returns the time of its arrival.
func (p *pipe) carry(g *segment) time.Duration {
	g.pipe = p
	g.event.effects = p.world.effects.segment
	p.world.effects.segment = nil
	p.flying = append(p.flying, g)
	return p.dispatch(g)
}

// dispatch schedules a segment's arrival, behind all that the pipe carries
// already.
func (p *pipe) dispatch(g *segment) time.Duration {
	g.event = pending{
		at: max(g.due, p.last), kind: p.kind, actor: p.to, from: p.from, lane: p.lane, vital: true, fire: g, effects: g.event.effects,
	}
	p.last = p.world.schedule(&g.event).at
	return p.last
}

// happen is the segment's arrival, unless a cut holds it.
func (g *segment) happen() {
	p := g.pipe
	if p.world.Network().held(g) {
		if !g.held && g.stuck != nil {
			g.stuck()
		}
		g.held = true
		return
	}
	if invariants && p.flying[0] != g {
		panic(fmt.Sprintf("sim: a segment from %s to %s overtakes %d others", p.from.name, p.to.name, slices.Index(p.flying, g)))
	}
	last := copy(p.flying, p.flying[1:]) // FIFO: it was the first
	p.flying[last] = nil
	p.flying = p.flying[:last]
	p.arrive(g)
	p.spare = g
}

// resend dispatches the segments that a cut has held. Those still under way arrive
// after them.
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

// lose drops all segments that the pipe carries, and logs an event for each.
func (p *pipe) lose(logged func(g *segment) Event) {
	for _, g := range p.flying {
		p.world.discard(&g.event)
		p.world.effects.event = g.event.effects
		p.world.Log(logged(g))
	}
	p.flying = nil
}

// NewLane returns the number of a new FIFO for [Network.Propagate].
func (n *Network) NewLane() int64 {
	p := &pipe{world: n.world, kind: EventDeliver, lane: -1 - int64(len(n.pipes))}
	p.arrive = func(s *segment) { s.message(s.sent, s.late) }
	n.pipes = append(n.pipes, p)
	return p.lane
}

// NewConn returns the number of a connection between two servers, which they make by two lanes: connections are
// numbered in the order of all dials.
func (n *Network) NewConn() int {
	n.dials++
	return n.dials
}

// Propagate sends a message from one actor to another, with the latency of a segment,
// and calls fire when it arrives. It is for messages without a connection, such as a
// replication stream. The lane, made by [Network.NewLane], is the FIFO of all messages
// between the two. Propagate returns the time of arrival, which is not before due; if a
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

// segment returns the segment whose arrival the event is, nil if it is another event.
func (e Upcoming) segment() *segment {
	s, _ := e.what.(*segment)
	return s
}

// Conn returns the connection of a segment that is about to arrive, nil for another
// event. A segment for the process at the client's end is an answer.
func (e Upcoming) Conn() *Conn {
	if s := e.segment(); s != nil {
		return s.pipe.conn
	}
	return nil
}

// Data returns the data of a segment that is about to arrive, nil for another event. It
// must not be changed.
func (e Upcoming) Data() []byte {
	if s := e.segment(); s != nil {
		return s.data
	}
	return nil
}

// Task returns the task of a request, or of the request that an answer is for; nil if
// there is none.
func (e Upcoming) Task() *Task {
	if s := e.segment(); s != nil {
		return s.task
	}
	return nil
}

// cut is a blocked route, with what it holds.
type cut struct {
	segments []*segment
	resets   []func() // each sends a reset again
}

// route is the way from one actor to another.
type route struct{ from, to *Actor }

// Cut holds all segments from one actor to another from now on.
func (n *Network) Cut(from, to *Actor) {
	if n.sever(from, to) {
		n.world.fault(Fault{Event: Event{Actor: from.name, Peer: to.name}, Kind: FaultCut})
	}
}

// Heal ends a cut and sends on what it held, in the order of sending.
func (n *Network) Heal(from, to *Actor) {
	if n.cuts[route{from, to}] != nil {
		n.world.fault(Fault{Event: Event{Actor: from.name, Peer: to.name}, Kind: FaultHeal})
		n.mend(from, to)
	}
}

// sever cuts a route and reports whether it was uncut.
func (n *Network) sever(from, to *Actor) bool {
	r := route{from, to}
	whole := n.cuts[r] == nil
	if whole {
		n.cuts[r] = &cut{}
	}
	return whole
}

// mend ends the cut of a route and sends on what it held.
func (n *Network) mend(from, to *Actor) {
	c := n.cuts[route{from, to}]
	if c == nil {
		return
	}
	delete(n.cuts, route{from, to})
	for _, s := range c.segments {
		s.due = n.world.now + n.link.Base
	}
	for _, s := range c.segments {
		if s.event.index < 0 { // otherwise it was sent again with another
			s.pipe.resend()
		}
	}
	for _, reset := range c.resets {
		reset()
	}
}

// held keeps a segment back if its route is cut, and reports whether it is.
func (n *Network) held(s *segment) bool {
	c := n.cuts[route{s.pipe.from, s.pipe.to}]
	if c != nil {
		c.segments = append(c.segments, s)
	}
	return c != nil
}

// Part begins a partition and logs it as one fault, of the first actor of side A.
// [Network.Unite] ends it; d is only for the log.
func (n *Network) Part(p Partition, d time.Duration) {
	p.ways(func(from, to *Actor) { n.sever(from, to) })
	n.world.fault(Fault{Event: Event{Actor: p.A[0].name}, Kind: FaultPartition, For: d, Sides: &p})
}

// Unite ends a partition and sends on what it held.
func (n *Network) Unite(p Partition) {
	n.world.fault(Fault{Event: Event{Actor: p.A[0].name}, Kind: FaultUnited, Sides: &p})
	p.ways(n.mend)
}

// sendReset schedules the arrival of a reset, sent by one end of a connection to the
// other, a base latency from now. If the route is cut by then, it waits until the cut
// heals.
func (n *Network) sendReset(from, to *Actor, vital bool, fire func()) {
	w := n.world
	w.schedule(&pending{at: w.now + n.link.Base, kind: EventReset, actor: to, vital: vital, fire: call(func() {
		if c := n.cuts[route{from, to}]; c != nil {
			c.resets = append(c.resets, func() { n.sendReset(from, to, vital, fire) })
			return
		}
		fire()
	})})
}

// Crash ends the actor's connections: segments in flight are lost now, and each other
// end learns of it by a reset, as an event of its own. Dials to the actor are refused
// from now on.
func (n *Network) Crash(a *Actor) {
	for _, c := range n.connsOf(a) {
		c.Reset(a)
	}
	n.deafen(a)
}

// deafen makes all dials to an actor fail.
func (n *Network) deafen(a *Actor) {
	// unordered: all listeners of the actor are treated alike
	for _, l := range n.listeners {
		if l.actor == a {
			l.accept = nil
		}
	}
}

// kill ends a process's connections as the operating system does for a process that was
// killed: they are closed after all sent data, and arriving data is lost.
func (n *Network) kill(p *Process) {
	for _, c := range n.connsOf(p.Actor) {
		if c.process == p {
			c.closeByClient()
			c.notify()
		}
		if far, accepted := c.server.handler.(*Conn); accepted && far.process == p {
			c.server.Close()
		}
	}
	n.deafen(p.Actor)
}
