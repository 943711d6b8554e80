package quorum

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// Member is a server as a part of its group.
type Member[S, E comparable] struct {
	*server.Host
	Server S

	Log     []E   // all entries that it has accepted
	Applied int   // the number of its entries that its state has
	Term    int64 // of the leader that it follows
	Life    int   // grows when its role or its process ends: messages under way to it are lost

	group  *Group[S, E]
	hooks  Hooks[E]
	leader *Member[S, E] // nil while it looks for one; itself if it leads
	leads  *Leadership[S, E]
	alone  time.Duration // since when it lacks its leader, or its majority; never if it does not
	lanes  map[*Member[S, E]]*server.Lane
}

// Hooks are the callbacks of a store's server.
type Hooks[E any] struct {
	// Looks is called when the server has begun to look for a leader, or crashed.
	Looks func()
	// Leads is called when the server has been elected, and Follows when it follows a leader and
	// has its log.
	Leads, Follows func()
	// Accepts is called when the server, as a follower, has got an entry of the log, before it
	// acknowledges it; it may be nil.
	Accepts func()
	// Advance is called while the server leads, when a majority may have accepted more.
	Advance func()
	// Apply applies the next entry of the log, which is committed; first is set if it was not
	// before.
	Apply func(x E, first bool)
	// Resume is called when the server resumes after a hang.
	Resume func()
}

const never = time.Duration(-1)

// Add adds a member to the group. Accept takes the connections of its clients.
func (g *Group[S, E]) Add(s S, name, address string, accept func(*sim.ServerConn) sim.Handler, hooks Hooks[E]) *Member[S, E] {
	m := &Member[S, E]{
		Host: server.NewHost(g.world, name, address, accept), Server: s,
		group: g, hooks: hooks, alone: never, lanes: map[*Member[S, E]]*server.Lane{},
	}
	g.members = append(g.members, m)
	return m
}

// Leader returns the leader that the server follows, itself if it leads, or nil while it looks for one.
func (m *Member[S, E]) Leader() (leader S) {
	if m.leader != nil {
		leader = m.leader.Server
	}
	return leader
}

// Leads reports whether the server takes itself for the leader of a majority.
func (m *Member[S, E]) Leads() bool { return m.leads != nil && m.leads.established }

// Hang stops the server for d, as SIGSTOP does: the machine goes on accepting connections and data,
// and nothing is executed or answered. Then the server executes all requests that have arrived,
// unless it has to give up its role first. Its clock runs on. Hang does nothing, and returns false,
// if the server is down or hangs already.
func (m *Member[S, E]) Hang(d time.Duration) bool {
	if !m.Host.Hang(d, m.hooks.Resume) {
		return false
	}
	m.group.Changed()
	return true
}

// Crash ends the server's process: its connections are reset and dials are refused. Its log is
// on its disk.
func (m *Member[S, E]) Crash() {
	if m.Host.Crash(m.Observe) {
		m.group.world.Network().Crash(m.Actor)
		m.look()
		m.group.Changed()
	}
}

// Restart restarts a crashed server with its log.
func (m *Member[S, E]) Restart() {
	if !m.Down() {
		return
	}
	m.Start()
	if len(m.group.members) == 1 {
		m.Observe(model.Observation{Kind: model.Returned, Authority: m.group.Name()})
	} else {
		m.Observe(model.Observation{Kind: model.Returned})
		m.Observe(model.Observation{Kind: model.Noted, Note: &leaderless})
	}
	m.group.Changed()
}

// look makes the server look for a leader. Messages under way to it are lost.
func (m *Member[S, E]) look() {
	m.Life++
	m.leader, m.leads, m.alone = nil, nil, never
	if !m.Down() {
		m.Observe(model.Observation{Kind: model.Noted, Note: &leaderless})
	}
	m.hooks.Looks()
}

// Observe adds an observation of the server, with an event of the log.
func (m *Member[S, E]) Observe(o model.Observation) { m.group.observe(m.Logged(o)) }

// Send sends a message to another server. It is lost if one of the two has given up its role, or
// ended, when it arrives. A server that hangs receives it later.
func (m *Member[S, E]) Send(to *Member[S, E], what string, receive func()) {
	l := m.lanes[to]
	if l == nil {
		l = server.NewLane(m.group.world, m.Actor, to.Actor)
		m.lanes[to] = l
	}
	mine, its := m.Life, to.Life
	l.Send(what, func() bool { return m.Life != mine || to.Life != its || to.Down() }, func() {
		to.Do(func() {
			if to.Life == its {
				receive()
			}
		})
	})
}

// SendToLeader sends a message to the leader. It is lost if the leader does not lead any
// more.
func (m *Member[S, E]) SendToLeader(what string, receive func(leader S)) {
	m.sendToLeader(what, func(l *Leadership[S, E]) { receive(l.node.Server) })
}

func (m *Member[S, E]) sendToLeader(what string, receive func(*Leadership[S, E])) {
	leader, term := m.leader, m.Term
	m.Send(leader, what, func() {
		if leader.leads != nil && leader.Term == term {
			receive(leader.leads)
		}
	})
}

// apply applies the next entry of the log.
func (m *Member[S, E]) apply() {
	x := m.Log[m.Applied]
	first := m.group.commit(m, x)
	m.Applied++
	m.hooks.Apply(x, first)
}

// applyTo applies the log's entries up to the given number.
func (m *Member[S, E]) applyTo(committed int) {
	for m.Applied < min(committed, len(m.Log)) {
		m.apply()
	}
}
