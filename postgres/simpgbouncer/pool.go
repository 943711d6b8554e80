package simpgbouncer

import (
	"slices"
	"time"
)

// pool has the clients of a database and a user, and their server connections.
type pool struct {
	pooler         *Pooler
	database, user string

	clients [clientStates][]*client // by state
	servers [serverStates][]*backend

	welcome []byte // what clients get when they have logged in, but for the tracked parameters
	known   bool   // a server has said all of it
	vars    vars   // of new server connections

	lastConnect   time.Duration
	lastLifetime  time.Duration // when a connection was closed because of its age
	connectFailed bool          // the last time
	loginFailed   bool
}

// all returns the server connections.
func (q *pool) all() []*backend { return slices.Concat(q.servers[:]...) }

// size returns the number of the server connections that are open or being opened.
func (q *pool) size() int { return len(q.all()) }

// activate does what the pooler does after each event: it lets clients that wait go on, and opens server connections
// for them.
func (q *pool) activate() {
	if len(q.clients[clientWaitsToCancel]) > 0 {
		q.launch()
		return
	}
	tested, used := len(q.servers[serverTested]), len(q.servers[serverUsed])
	for _, c := range slices.Clone(q.clients[clientWaits]) {
		switch {
		case c.state != clientWaits:
		case len(q.servers[serverIdle]) > 0 && c.awaitsWelcome && !q.known:
			q.launch()
		case len(q.servers[serverIdle]) > 0:
			c.wake()
		case tested > 0:
			tested--
		case used > 0:
			q.recheck()
			used--
		default:
			q.launch()
			return
		}
	}
}

// recheck tests a server connection that has been idle for long.
func (q *pool) recheck() {
	for len(q.servers[serverUsed]) > 0 {
		b := q.servers[serverUsed][0]
		switch {
		case !b.ready:
			b.disconnect(true, "idle server got dirty")
			continue
		case q.pooler.now()-b.lastReply < q.pooler.options.ServerCheckDelay:
			b.release()
		default:
			b.enter(serverTested)
			b.query(checkQuery, nil)
		}
		return
	}
}

// launch opens a server connection, unless one is being opened, the last attempt has just failed, or the pool is
// full. For a cancel request the pool may have twice its size.
func (q *pool) launch() {
	p := q.pooler
	limit := p.options.DefaultPoolSize
	cancels := len(q.clients[clientWaitsToCancel]) > 0 && q.size() < 2*limit
	switch {
	case len(q.servers[serverLogin]) > 0:
		return
	case q.connectFailed && p.now()-q.lastConnect < p.options.ServerLoginRetry:
		return
	case !cancels && q.size() >= limit && q.known:
		return
	}
	b := &backend{pooler: p, pool: q, since: p.now()}
	q.lastConnect = b.since
	b.enter(serverLogin)
	node := p.resolve()
	if node == nil {
		b.disconnect(true, "server DNS lookup failed")
		return
	}
	b.wire = newLink(p, b, node)
	if first := q.clients[clientWaits]; len(first) > 0 {
		b.wire.client, b.wire.origin = first[0].sock, originOf(first[0].sock)
	}
}

// refuseLogins ends the clients that wait for the first server connection.
func (q *pool) refuseLogins(reason string) {
	for _, c := range slices.Clone(q.clients[clientWaits]) {
		if c.awaitsWelcome {
			c.disconnect(true, reason)
		}
	}
}

// lifeOver reports whether a server connection is too old. The ends of old connections are spread.
func (q *pool) lifeOver(b *backend) bool {
	o := &q.pooler.options
	if o.ServerLifetime == Never || q.pooler.now()-b.since < o.ServerLifetime {
		return false
	}
	return q.pooler.now()-q.lastLifetime >= o.ServerLifetime/time.Duration(o.DefaultPoolSize)
}
