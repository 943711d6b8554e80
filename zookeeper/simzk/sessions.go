package simzk

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// The shortest and the longest time-out of a session, in ticks.
const (
	shortestSession = 2
	longestSession  = 20
)

// negotiate returns the time-out that a session gets.
func (e *Ensemble) negotiate(asked time.Duration) time.Duration {
	return min(max(asked, shortestSession*e.options.Tick), longestSession*e.options.Tick)
}

// tracked is a session as the leader sees it.
type tracked struct {
	timeout time.Duration
	ends    time.Time // by the leader's clock, a whole tick, unless it hears of the client
	closing bool
	owner   *Node // the server that its client connected to last; nil if the leader does not know
	// answered is when the leader last executed a request of the client, in the run's time; 0 if it has not.
	answered time.Duration
}

// trackAll begins to watch all existing sessions, each as if its client had just sent
// something.
func (l *leadership) trackAll() {
	ids := make([]int64, 0, len(l.head.sessions))
	for id := range l.head.sessions { // unordered: sorted below
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		l.track(id, l.head.sessions[id].timeout, nil)
	}
}

func (l *leadership) track(id int64, timeout time.Duration, owner *Node) {
	l.sessions[id] = &tracked{timeout: timeout, owner: owner}
	l.touch(id)
}

// touch notes that the client of a session has sent something. As in ZooKeeper, the
// session ends with the first whole tick after its time-out.
func (l *leadership) touch(id int64) (alive bool) {
	s := l.sessions[id]
	if s == nil || s.closing {
		return false
	}
	tick := l.node.ensemble.options.Tick
	ends := l.node.now().Add(s.timeout).Truncate(tick).Add(tick)
	if ends.Equal(s.ends) {
		return true
	}
	s.ends = ends
	l.node.prolonged(id, l.node.clock.When(ends))
	l.watchSessions()
	return true
}

// answers notes that the leader executes a request of a session that a follower has passed on. As
// in ZooKeeper, that does not count as a sign that its client is alive: only the follower's report
// does.
func (l *leadership) answers(id int64) {
	if s := l.sessions[id]; s != nil && !s.closing {
		s.answered = l.node.world.Now()
	}
}

// watchSessions schedules the next end of a session.
func (l *leadership) watchSessions() {
	if l.expiry != nil {
		l.expiry()
		l.expiry = nil
	}
	var next time.Time
	for _, s := range l.sessions { // unordered: the minimum
		if !s.closing && (next.IsZero() || s.ends.Before(next)) {
			next = s.ends
		}
	}
	if next.IsZero() {
		return
	}
	n := l.node
	at := max(n.clock.When(next), n.world.Now())
	l.expiry = n.world.At(n.Actor, at, sim.EventWork, sim.EventOptions{}, func() {
		l.expiry = nil
		if !n.Hangs() { // else it looks at the clock when it goes on
			l.expireSessions()
		}
	})
}

// expireSessions closes the sessions that end now.
func (l *leadership) expireSessions() {
	now := l.node.now()
	var over []int64
	for id, s := range l.sessions { // unordered: sorted below
		if !s.closing && !now.Before(s.ends) {
			over = append(over, id)
		}
	}
	slices.Sort(over)
	for _, id := range over {
		l.sessions[id].closing = true
	}
	for _, id := range over {
		l.propose(func(zxid, at int64) *txn {
			return l.head.prepare(id, &request{op: opClose}, zxid, at)
		}, &entry{expires: true, due: l.due(id)})
	}
	l.watchSessions()
}

// due returns when a session that ends now should have ended: a time-out after the leader executed a
// request of its client, if the follower's report of that is still on its way, and 0 otherwise.
func (l *leadership) due(id int64) time.Duration {
	s := l.sessions[id]
	if due := s.answered + s.timeout; s.answered > 0 && due > l.node.world.Now() {
		return due
	}
	return 0
}

// touched are the sessions whose clients have sent a follower something since its last
// report to the leader.
type touched struct {
	ids    []int64
	report func() // cancels the next report; nil if there is none
}

func (t *touched) cancel() {
	if t.report != nil {
		t.report()
	}
	t.report, t.ids = nil, nil
}

// heardOf notes that the client of a session has sent something. A follower reports that to the
// leader once in half a tick. It reports whether the session may be alive: a leader that is ending it
// drops what its clients send, as ZooKeeper does (ZooKeeperServer.submitRequestNow).
func (n *Node) heardOf(session int64) (alive bool) {
	if n.leads != nil {
		return n.leads.touch(session)
	}
	t := &n.touched
	if !slices.Contains(t.ids, session) {
		t.ids = append(t.ids, session)
	}
	if t.report != nil {
		return true
	}
	t.report = n.world.At(n.Actor, n.world.Now()+n.ensemble.options.Tick/2, sim.EventWork, sim.EventOptions{}, func() {
		t.report = nil
		n.Do(n.reportTouched)
	})
	return true
}

func (n *Node) reportTouched() {
	if n.leads != nil || n.Leader() == nil {
		return
	}
	ids := n.touched.ids
	n.touched.ids = nil
	n.toLeader("sessions", func(l *leadership) {
		for _, id := range ids {
			l.touch(id)
		}
	})
}

// sessionClosed ends the connection of a session that has been closed.
func (n *Node) sessionClosed(x *entry) {
	if n.leads != nil {
		delete(n.leads.sessions, x.session)
		n.leads.watchSessions()
	}
	for _, c := range slices.Clone(n.conns) {
		if c.session == x.session && (x.from == nil || x.from.conn != c) {
			c.close()
		}
	}
}
