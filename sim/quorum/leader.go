package quorum

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// The notes of a server that leads when the run begins, and of one that has lost its leader.
var (
	serving    = model.Note{Event: "serving", Role: model.RoleServing}
	leaderless = model.Note{Event: "leaderless", Role: model.RoleAlone, Text: "{node} is the {serving} no longer"}
)

// Leadership is the state of a server while it leads.
type Leadership[S, E comparable] struct {
	node        *Member[S, E]
	established bool                  // a majority has accepted the log that it had when it was elected
	synced      []*Member[S, E]       // the followers that take part
	admitted    map[*Member[S, E]]int // the life in which each of them was admitted
	acked       map[*Member[S, E]]int // the number of entries that each of them has accepted
}

// Leadership returns the server's leadership, or nil if it does not lead.
func (m *Member[S, E]) Leadership() *Leadership[S, E] { return m.leads }

// lead makes the server the leader of a term. The followers, if any, have accepted its log.
func (m *Member[S, E]) lead(term int64, followers ...*Member[S, E]) {
	l := &Leadership[S, E]{node: m, admitted: map[*Member[S, E]]int{}, acked: map[*Member[S, E]]int{}}
	for _, f := range followers {
		f.leader, f.Term = m, term
		f.hooks.Follows()
		l.synced = append(l.synced, f)
		l.admitted[f], l.acked[f] = f.Life, len(m.Log)
	}
	m.leader, m.leads, m.Term, m.alone = m, l, term, never
	m.hooks.Leads()
	m.hooks.Advance()
}

// Append appends an entry to the log, and sends it to the followers. What names the entry in the run's events.
func (l *Leadership[S, E]) Append(x E, what string) {
	m := l.node
	m.Log = append(m.Log, x)
	place := len(m.Log)
	for _, f := range l.Followers() {
		m.Send(f, what, func() { f.record(m, x, place) })
	}
}

// has reports whether a server is a follower, or is about to be.
func (l *Leadership[S, E]) has(f *Member[S, E]) bool {
	life, admitted := l.admitted[f]
	return admitted && !f.Down() && life == f.Life
}

// Followers returns the followers, including those that are about to be.
func (l *Leadership[S, E]) Followers() []*Member[S, E] {
	return slices.DeleteFunc(slices.Clone(l.synced), func(f *Member[S, E]) bool { return !l.has(f) })
}

// record is the arrival of an entry at a follower.
func (m *Member[S, E]) record(leader *Member[S, E], x E, place int) {
	if m.leader != leader || len(m.Log) != place-1 {
		return // the leader's log, which was sent before, has it
	}
	if m.hooks.Accepts != nil {
		m.hooks.Accepts()
	}
	m.Log = append(m.Log, x)
	m.ack()
}

// ack reports to the leader the number of entries that the follower has accepted.
func (m *Member[S, E]) ack() {
	accepted := len(m.Log)
	m.sendToLeader("ack", func(l *Leadership[S, E]) {
		l.acked[m] = max(l.acked[m], accepted)
		l.node.hooks.Advance()
	})
}

// Accepted returns the number of entries of the log that a majority has accepted, -1 if no
// majority takes part.
func (l *Leadership[S, E]) Accepted() int {
	m := l.node
	counts := []int{len(m.Log)}
	for _, f := range l.synced {
		counts = append(counts, l.acked[f])
	}
	slices.Sort(counts)
	if quorum := m.group.Quorum(); len(counts) >= quorum {
		return counts[len(counts)-quorum]
	}
	return -1
}

// Establish makes the leader serve, because a majority has accepted its log.
func (l *Leadership[S, E]) Establish() {
	m, g := l.node, l.node.group
	l.established = true
	o := model.Observation{Kind: model.Promoted, Authority: g.Name(), Epoch: m.Term}
	if g.leader == nil {
		o.Kind, o.Note = model.Noted, &serving
	}
	g.leader = m
	m.Observe(o)
}

// Commit applies the next entry, which a majority has accepted, and informs the followers.
func (l *Leadership[S, E]) Commit() {
	m := l.node
	m.apply()
	place := m.Applied
	for _, f := range l.Followers() {
		m.Send(f, "commit", func() {
			if f.leader == m {
				f.applyTo(place)
			}
		})
	}
}

// admit lets a server take part as a follower: it gets the leader's log, and all entries appended
// from then on. Messages of an earlier leader do not count any more.
func (l *Leadership[S, E]) admit(f *Member[S, E]) {
	m := l.node
	f.Life++
	l.synced = append(slices.DeleteFunc(l.synced, func(s *Member[S, E]) bool { return s == f }), f)
	l.admitted[f], l.acked[f] = f.Life, -1
	log, committed, term := slices.Clone(m.Log), m.Applied, m.Term
	m.Send(f, "log", func() { f.follow(m, term, log, committed) })
}

// follow is the arrival of the leader's log at a server. The server drops other entries that
// it had accepted, which were never committed.
func (m *Member[S, E]) follow(leader *Member[S, E], term int64, log []E, committed int) {
	if len(log) < m.Applied || !slices.Equal(log[:m.Applied], m.Log[:m.Applied]) {
		panic(m.group.Name() + ": " + leader.Name() + " leads without an entry that was committed")
	}
	m.leader, m.leads, m.Term, m.alone = leader, nil, term, never
	m.Log = log
	m.Observe(model.Observation{Kind: model.Returned})
	m.hooks.Follows()
	m.ack()
	m.applyTo(committed)
}
