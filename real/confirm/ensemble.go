package confirm

import (
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// Ensemble is a [Store] whose nodes are members of one: a client uses any of them, and records are those of all. Its
// clients ask nothing again and again, so each request has a place in the order, but for those that are free.
type Ensemble interface {
	Store
	// Authority is what histories call all members together.
	Authority() string
	// Free reports whether a request with this signature passes whenever it comes, unless the trace holds it: what
	// keeps a session alive, or ends a call.
	Free(signature string) bool
	// Environment are variables for the process of a client of the trace, as in [os/exec.Cmd].
	Environment(t *traces.Trace, client string) []string
}

// Electing is an [Ensemble] whose members may fail. Who leads then is the one that leads in the trace.
type Electing interface {
	Ensemble
	// StartMembers starts fresh members. Leaders are those that lead in the trace, in their order, of which the first one leads at
	// the beginning. TTL is how long leases are to last, which decides how long members do without a leader. Errors are those of Start.
	StartMembers(names, leaders []string, ttl time.Duration) (Members, error)
}

// Members are running members of an ensemble. Promote makes one of them lead, also one that leads already; its error is a
// [Divergence] if they have elected another. Methods may be called while one of Kill, Restart, Hang, Promote and Divide is under way.
type Members interface {
	Servers
	// Divide has the network hold what one member sends another if apart says so, until it is called again. Nil is a
	// network that holds nothing.
	Divide(apart func(from, to string) bool) error
	// TurnsAway reports whether a member that runs closes the connections of clients, since it has no leader.
	TurnsAway(node string) bool
	// Lose has the network lose what a member sends others, for a time that is too short for an election. It does not wait for that.
	Lose(node string)
	// Extension is what a new leader adds to the time-out of each session, once, when it renews them all.
	Extension() time.Duration
}

// together returns an ensemble and its name in histories; nil and an empty name for other stores.
func together(s Store) (e Ensemble, authority string) {
	if e, is := s.(Ensemble); is {
		return e, e.Authority()
	}
	return nil, ""
}

// place is whose records a node has: its own, or those of its ensemble.
func (p *plan) place(node string) string {
	if p.ensemble != nil {
		return p.authority
	}
	return node
}

// free reports whether a request passes whenever it comes.
func (p *plan) free(signature string) bool { return p.ensemble != nil && p.ensemble.Free(signature) }

// seatsOf are those to whom a client has gates: each member of an ensemble, or who serves of each server. Waits is set while that starts.
func (d *driver) seatsOf() (targets []func() (node string, waits bool)) {
	for server, nodes := range d.byServer {
		if d.ensemble == nil {
			targets = append(targets, func() (string, bool) { return d.seats.of(server), d.seats.isStarting(server) })
			continue
		}
		for _, n := range nodes {
			targets = append(targets, func() (string, bool) { return n, false })
		}
	}
	return targets
}

// whom returns the node to ask for a node's records: itself, or another member that can answer.
func (d *driver) whom(node string) (asked string, can bool) {
	can = d.authority[node] && !d.hung[node]
	if can || d.ensemble == nil {
		return node, can
	}
	for _, n := range d.nodes {
		if d.authority[n] && !d.hung[n] {
			return n, true
		}
	}
	return node, false
}

// connecting is how long clients have to connect to the members before a run begins.
const connecting = 200 * time.Millisecond

// heldBack reports whether a free request may be the one that the order has next for its client, or one that the trace
// holds for longer than the run lasts. One of them on another connection is held already.
func (d *driver) heldBack(r *request) bool {
	is := func(s step) bool {
		return s.kind == executes && s.client == r.gate.client && s.request == r.Signature && s.sent-d.passed() < 2*margin
	}
	if !slices.ContainsFunc(d.steps[d.position:], is) && !slices.ContainsFunc(d.beyond, is) {
		return false
	}
	r.held = !slices.ContainsFunc(d.waiting, func(o *request) bool {
		return o.held && o.link != r.link && o.gate.client == r.gate.client && o.Signature == r.Signature
	})
	return r.held
}

// tick returns the first tick of the servers' clocks after a moment, if they tick, and else the moment.
func (d *driver) tick(after time.Time) time.Time {
	if t, is := d.servers.(Ticking); is {
		return t.Tick(after)
	}
	return after
}

// lives notes that a session lives until a time, and with it its records.
func (d *driver) lives(client, node string, m *Message, since time.Time) {
	if m.Lives <= 0 {
		return
	}
	d.renew(node, m.Session, session{client, m.Lives, d.tick(since.Add(m.Lives))})
}

// session is one of a client. It lives for a time after it was renewed, and ends then.
type session struct {
	client string
	lives  time.Duration
	ends   time.Time
}

// elected notes that a new leader has renewed all sessions.
func (d *driver) elected(node string, extension time.Duration) {
	for _, name := range slices.Sorted(maps.Keys(d.sessions)) {
		s := d.sessions[name]
		s.ends = d.tick(time.Now().Add(s.lives + extension))
		d.renew(node, name, s)
	}
}

// renew notes until when a session lives, and with it its records.
func (d *driver) renew(node, name string, s session) {
	d.sessions[name] = s
	place := d.place(node)
	for _, key := range slices.Sorted(maps.Keys(d.known[place])) {
		k := d.known[place][key]
		if k.Session != name || k.Ends.Equal(s.ends) {
			continue
		}
		k.Ends = s.ends
		d.known[place][key] = k
		o := d.ofRecord(model.RecordChanged, node, key, k)
		o.By, o.OldOwner = model.Origin{Client: s.client}, k.owner
		d.observe(o)
	}
}

// named notes what a record of the trace is called here: names have numbers that differ from run to run. A request may
// change several records; one that is called as in the trace is the same.
func (d *driver) named(s *step, r *request) {
	name := ""
	for i := range d.history.Observations {
		if o := &d.history.Observations[i]; o.Kind == s.seen.Kind && o.By == r.by && o.Authority != "" {
			if o.Key == s.seen.Key {
				name = o.Key
				break
			}
			name = o.Key
		}
	}
	if name != "" {
		d.names[s.seen.Key] = name
	}
}

// name is what a record of the trace is called here.
func (d *driver) name(key string) string {
	if name, known := d.names[key]; known {
		return name
	}
	return key
}

// splits reports whether a partition keeps nodes from nodes.
func splits(p *model.Sides, nodes []string) bool {
	has := func(side []string) bool {
		return slices.ContainsFunc(side, func(n string) bool { return slices.Contains(nodes, n) })
	}
	return has(p.A) && has(p.B)
}

// amongMembers reports whether what is late is a message of a node to another.
func (r *reading) amongMembers(o *model.Observation) bool {
	return slices.ContainsFunc(r.trace.Events, func(e sim.Event) bool {
		return e.Late && e.Peer == o.Node && e.Sent == o.At && slices.Contains(r.nodes, e.Peer) && slices.Contains(r.nodes, e.Actor)
	})
}
