package sim

import (
	"cmp"
	"slices"
	"time"
)

// Network carries connections between processes and servers, with TCP's
// semantics as applications see them.
//
//   - Each direction of a connection is a FIFO stream of segments, each with a
//     latency; nothing overtakes within a direction.
//   - Closing does not call back what was sent: a request whose client has
//     timed out still arrives, maybe after the client's next request on
//     another connection.
//   - A reset, or the crash of an end, loses what is in flight. A process that
//     is killed loses only what is on its way to it.
//   - A cut holds segments, as retransmission does, and delivers them after it
//     has healed. It works in one direction. Connection attempts are held as
//     well, until the dialer gives up, and so is the word that a connection
//     was reset. A partition is a cut between each of one side and each of the
//     other.
//   - A dial is accepted, refused, or runs into its timeout.
//
// Its methods are for the conductor, but for [Network.Dial].
type Network struct {
	world     *World
	link      Link
	listeners map[string]*listener
	routes    map[string]func() string
	conns     []*Conn // those that are not over, in the order of dials
	dials     int
	pipes     []*pipe // of lanes -1, -2, ...
	cuts      map[route]*cut
}

// Link is how long segments travel.
type Link struct {
	// Base is the latency of a calm segment, one way. Jitter is the most that
	// a Latency decision adds to it, in JitterSteps steps.
	Base, Jitter time.Duration
	// Late are the ways in which segments may be held back. A segment that one
	// of them lets pass may be held back by the next.
	Late []Lateness
}

// Lateness is one way in which segments may be late: which, by how much, how
// many.
type Lateness struct {
	// Kind is what its decisions are called, [Delay] if empty.
	Kind Kind
	// Of says which segments may be late, by who sends them and who is to get
	// them (nil if nobody is there); nil means all.
	Of func(from, to *Actor) bool
	// By are the delay classes: how much later than otherwise a held-back
	// segment arrives.
	By []time.Duration
	// Timeouts are more classes, behind those of By. They go by how long the
	// client at one end of the segment waits for the other: by what it set on the
	// connection ([Conn.Timeout]), or for its dial.
	Timeouts Timeouts
	// Budget is how many segments of a run may be held back, and Odds how rare
	// that is for a random tape.
	Budget, Odds int
}

// classes is how many delay classes there are.
func (l *Lateness) classes() int { return len(l.By) + len(l.Timeouts.Percent) }

// class is the length of a delay class, if the client waits for so long.
func (l *Lateness) class(i int, timeout time.Duration) time.Duration {
	if i < len(l.By) {
		return l.By[i]
	}
	return l.Timeouts.Length(i-len(l.By), timeout)
}

// asks reports whether a segment may be held back.
func (l *Lateness) asks(from, to *Actor) bool {
	return l.Budget > 0 && (l.Of == nil || l.Of(from, to))
}

// JitterSteps is the number of options of a Latency decision.
const JitterSteps = 32

type route struct{ from, to *Actor }

// listener is who is at an address.
type listener struct {
	actor  *Actor
	accept func(*ServerConn) Handler // nil if dials are refused
}

// A Handler is the server's side of a connection. The conductor calls it.
type Handler interface {
	// Receive gets the bytes of one segment. The handler may keep them but not
	// change them, since the log has them, too. Task is what the client was
	// busy with when it wrote them.
	Receive(data []byte, t *Task)
	// Gone is called once when no more bytes will come: the client or the
	// server closed its end, or the connection was reset.
	Gone()
}

// Owing is what a Handler may be as well that does not answer at once all that
// comes in one segment.
type Owing interface {
	// Owes reports whether something that has come is still to be answered,
	// though perhaps something else has been.
	Owes() bool
}

func newNetwork(w *World) *Network {
	return &Network{
		world:     w,
		link:      Link{Base: 200 * time.Microsecond},
		listeners: map[string]*listener{},
		routes:    map[string]func() string{},
		cuts:      map[route]*cut{},
	}
}

// SetLink sets the latencies of all segments from now on.
func (n *Network) SetLink(l Link) {
	l.Late = slices.Clone(l.Late) // the budgets are used up here
	n.link = l
}

// Listen makes the actor accept connections at the address, a host:port with
// an IP literal. The handler that accept returns gets what arrives.
func (n *Network) Listen(address string, a *Actor, accept func(*ServerConn) Handler) {
	n.listeners[address] = &listener{actor: a, accept: accept}
}

// Unlisten makes dials to the address be refused.
func (n *Network) Unlisten(address string) {
	if l := n.listeners[address]; l != nil {
		l.accept = nil
	}
}

// Route makes a virtual address lead wherever resolve says when a connection
// attempt arrives; an empty answer refuses it.
func (n *Network) Route(address string, resolve func() string) { n.routes[address] = resolve }

// Conns returns the open connections in which the actor takes part, in the
// order in which they were dialed.
func (n *Network) Conns(a *Actor) []*Conn {
	return slices.DeleteFunc(n.of(a), func(c *Conn) bool { return c.server.closed })
}

// of returns the connections that the actor has an end of, dead or alive, and
// that are not yet over at both ends.
func (n *Network) of(a *Actor) []*Conn {
	n.conns = slices.DeleteFunc(n.conns, (*Conn).over)
	var list []*Conn
	for _, c := range n.conns {
		if c.process.Actor == a || c.server.actor == a {
			list = append(list, c)
		}
	}
	return list
}

// Crash makes the actor's connections end: what is in flight is lost now, and
// each other end learns of it by a reset, as an event of its own. Dials to the
// actor are refused from now on.
func (n *Network) Crash(a *Actor) {
	for _, c := range n.of(a) {
		c.Reset(a)
	}
	// unordered: all of the actor's are treated alike
	for _, l := range n.listeners {
		if l.actor == a {
			l.accept = nil
		}
	}
}

// kill makes a process's connections end as the operating system ends those of
// a process that was killed: it hangs up behind what was sent, and nobody is
// there for what comes.
func (n *Network) kill(p *Process) {
	for _, c := range n.of(p.Actor) {
		if c.process == p {
			c.closeByClient()
			c.notify()
		}
	}
}

// shutDown ends all connections when the run is over.
func (n *Network) shutDown() {
	for _, c := range n.conns {
		c.abandon()
	}
	n.conns = nil
}

// remember puts a connection on the list, and takes those off that are over.
func (n *Network) remember(c *Conn) {
	n.conns = slices.DeleteFunc(n.conns, (*Conn).over)
	i, _ := slices.BinarySearchFunc(n.conns, c.id, func(o *Conn, id int) int { return cmp.Compare(o.id, id) })
	n.conns = slices.Insert(n.conns, i, c)
}

// latency asks the tape how long a segment travels on top of now, and whether
// it is held back. The client at one of the ends waits for so long as timeout
// says, 0 if it has set no limit or none of the ends is one.
func (n *Network) latency(from, to *Actor, timeout time.Duration, t *Task) (d time.Duration, late bool) {
	w := n.world
	w.travelling = to
	strike := w.shown.strike
	defer func() { w.travelling, w.shown.strike = nil, strike }()
	d = n.link.Base
	w.shown.segment = nil
	if n.link.Jitter > 0 {
		step := w.Choose(Decision{Kind: Latency, Actor: from.name, Options: JitterSteps, Candidates: w.link(from, to)})
		d += n.link.Jitter * time.Duration(step) / (JitterSteps - 1)
		w.shown.inSegment(step, len(w.choices))
	}
	for i := range n.link.Late {
		if by := n.hold(&n.link.Late[i], from, to, timeout, t); by > 0 {
			return d + by, true
		}
	}
	return d, false
}

// hold asks the tape whether a segment is late in one of the ways, and by how
// much.
func (n *Network) hold(l *Lateness, from, to *Actor, timeout time.Duration, t *Task) time.Duration {
	if !l.asks(from, to) {
		return 0
	}
	kind := l.Kind
	if kind == "" {
		kind = Delay
	}
	class := n.world.Choose(Decision{Kind: kind, Actor: from.name, Options: 1 + l.classes(), Odds: l.Odds})
	if class == 0 {
		return 0
	}
	n.world.shown.inSegment(class, len(n.world.choices))
	n.world.shown.strike = len(n.world.choices)
	l.Budget--
	by := l.class(class-1, timeout)
	n.world.fault(Fault{Event: Event{Actor: from.name}, Kind: FaultLate, For: by, Task: t})
	return by
}

// NewLane returns a FIFO for [Network.Propagate] that nobody else uses.
func (n *Network) NewLane() int64 {
	p := &pipe{world: n.world, kind: EventDeliver, lane: -1 - int64(len(n.pipes))}
	p.arrive = func(s *segment) { s.message(s.sent, s.late) }
	n.pipes = append(n.pipes, p)
	return p.lane
}

// Propagate schedules fire as the arrival of a message from one actor at
// another, with the latency of a segment, not before the given time. It is for
// what is no connection, such as a replication stream. The lane, of
// [Network.NewLane], is its FIFO, and always leads the same way; due is when
// its last message arrives. A cut holds the message, and it then arrives later
// than answered.
func (n *Network) Propagate(from, to *Actor, lane int64, due time.Duration, fire func(sent time.Duration, late bool)) (arrival time.Duration) {
	p := n.pipes[-1-lane]
	p.from, p.to, p.last = from, to, max(p.last, due)
	travel, late := n.latency(from, to, 0, nil)
	return p.carry(&segment{sent: n.world.now, due: n.world.now + travel, late: late, message: fire})
}

// address is a net.Addr.
type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }
