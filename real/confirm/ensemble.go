package confirm

import (
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// Ensemble is a [Store] whose nodes are members of one group: a client uses any of them, and all have the same records.
// Its clients do not poll, so each request has a place in the order, except free ones.
type Ensemble interface {
	Store
	// Authority is the name of all members together in histories.
	Authority() string
	// Free reports whether a request with this signature passes at any time, unless the trace holds it: it keeps a session
	// alive, or ends a call.
	Free(signature string) bool
	// Environment returns variables for the process of a client of the trace, as in [os/exec.Cmd].
	Environment(t *traces.Trace, client string) []string
}

// Electing is an [Ensemble] whose members may fail. The leaders are those of the trace.
type Electing interface {
	Ensemble
	// StartMembers starts fresh members. Leaders are the trace's leaders in their order; the first one leads at the beginning.
	// TTL is the length of leases, which determines how long members go without a leader. Errors are those of Start.
	StartMembers(names, leaders []string, ttl time.Duration) (Members, error)
}

// Members are running members of an ensemble. Promote makes one of them lead, also one that leads already; its error is a
// [Divergence] if they have elected another. Methods may be called while one of Kill, Restart, Hang, Promote and Divide
// runs.
type Members interface {
	Servers
	// Divide makes the network hold messages between members for which apart returns true, until the next call. If apart is
	// nil it holds none.
	Divide(apart func(from, to string) bool) error
	// TurnsAway reports whether a running member closes the connections of clients because it has no leader.
	TurnsAway(node string) bool
	// Lose makes the network lose a member's messages to others, for a time too short for an election. It returns at once.
	Lose(node string)
	// Extension is the time that a new leader adds to the time-out of each session, once, when it renews them all.
	Extension() time.Duration
}

// together returns an ensemble and its name in histories; nil and an empty name for other stores.
func together(s Store) (e Ensemble, authority string) {
	if e, is := s.(Ensemble); is {
		return e, e.Authority()
	}
	return nil, ""
}

// place returns the owner of the records that requests to a node are about: itself, the one behind it, or its ensemble.
func (p *plan) place(node string) string {
	switch {
	case p.ensemble != nil:
		return p.authority
	case p.passesOn(node):
		return p.executor[node]
	}
	return node
}

// free reports whether a request passes at any time.
func (p *plan) free(signature string) bool { return p.ensemble != nil && p.ensemble.Free(signature) }

// seatsOf returns the targets of a client's gates: each member of an ensemble, or the serving node of each server. Waits
// is set while that starts.
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

// whom returns the node to ask for the records that requests to a node are about: itself, the one behind it, or another
// member that can answer.
func (d *driver) whom(node string) (asked string, can bool) {
	if d.passesOn(node) {
		node = d.executor[node]
	}
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

// heldBack reports whether a free request may be the next one of its client in the order, or one that the trace holds for
// longer than the run lasts. One on another connection is held already.
func (d *driver) heldBack(r *request) bool {
	is := func(s step) bool {
		return s.kind == executes && s.client == r.Gate.Client && s.request == r.Signature && s.sent-d.passed() < 2*margin
	}
	if !slices.ContainsFunc(d.steps[d.position:], is) && !slices.ContainsFunc(d.beyond, is) {
		return false
	}
	r.held = !slices.ContainsFunc(d.waiting, func(o *request) bool {
		return o.held && o.link != r.link && o.Gate.Client == r.Gate.Client && o.Signature == r.Signature
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

// lives records until when a session lives, and with it its records.
func (d *driver) lives(client, node string, m *Message, since time.Time) {
	if m.Lives <= 0 {
		return
	}
	d.renew(node, m.Session, session{client, m.Lives, d.tick(since.Add(m.Lives))})
}

// session is a client's session. It lives for a time after each renewal, and then ends.
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
	for _, key := range slices.Sorted(maps.Keys(d.Known[place])) {
		k := d.Known[place][key]
		if k.Session != name || k.Ends.Equal(s.ends) {
			continue
		}
		k.Ends = s.ends
		d.Known[place][key] = k
		o := d.ofRecord(model.RecordChanged, node, key, k)
		o.By, o.OldOwner = model.Origin{Client: s.client}, k.Owner
		d.Observe(o)
	}
}

// named records the name of a record of the trace in this run: names have numbers that differ from run to run. A request
// may change several records; one with the name of the trace is the same.
func (d *driver) named(s *step, r *request) {
	name := ""
	for i := range d.History.Observations {
		if o := &d.History.Observations[i]; o.Kind == s.seen.Kind && o.By == r.by && o.Authority != "" {
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

// name returns the name of a record of the trace in this run.
func (d *driver) name(key string) string {
	if name, known := d.names[key]; known {
		return name
	}
	return key
}

// splits reports whether a partition separates some of the nodes from others.
func splits(p *model.Sides, nodes []string) bool {
	has := func(side []string) bool {
		return slices.ContainsFunc(side, func(n string) bool { return slices.Contains(nodes, n) })
	}
	return has(p.A) && has(p.B)
}

// amongMembers reports whether a late message is one between nodes.
func (r *reading) amongMembers(o *model.Observation) bool {
	return slices.ContainsFunc(r.trace.Events, func(e sim.Event) bool {
		return e.Late && e.Peer == o.Node && e.Sent == o.At && slices.Contains(r.nodes, e.Peer) && slices.Contains(r.nodes, e.Actor)
	})
}
