package simpgbouncer

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// maintenance is the time from one maintenance of the pooler to the next. What has been due since the last one is done
// then. Here only those happen that have something to do.
const maintenance = time.Second / 3

// add notes that something is due.
type add func(at time.Duration, act func())

// deadlines calls add for everything that the pooler has to do at a time of its own.
func (p *Pooler) deadlines(add add) {
	for _, q := range p.pools {
		q.serverDeadlines(add)
		q.clientDeadlines(add)
	}
	for _, c := range p.logins {
		after(add, c.since, p.options.ClientLoginTimeout, func() { c.disconnect(true, "client_login_timeout") })
	}
}

// after adds what is due when more than d has passed, unless that never applies.
func after(add add, since, d time.Duration, act func()) {
	if d != Never {
		add(since+d+1, act)
	}
}

// serverDeadlines adds what is due for server connections.
func (q *pool) serverDeadlines(add add) {
	o := &q.pooler.options
	unused := slices.Concat(q.servers[serverUsed], q.servers[serverIdle])
	for _, b := range slices.Concat(unused, q.servers[serverTested]) {
		q.unusedDeadlines(b, add)
	}
	for _, b := range q.servers[serverActive] {
		if c := b.client; c != nil && !b.ready {
			after(add, c.lastRequest, o.QueryTimeout, func() { b.disconnect(true, "query timeout") })
			if b.inTransaction {
				after(add, b.lastReply, o.IdleTransactionTimeout, func() { b.disconnect(true, "idle transaction timeout") })
			}
		}
	}
	for _, b := range q.servers[serverLogin] {
		after(add, b.since, o.ServerConnectTimeout, func() { b.disconnect(true, "connect timeout") })
	}
	many := q.size() - len(q.servers[serverLogin]) - len(q.servers[serverCancels]) - o.DefaultPoolSize // after a cancel request that was given up
	for _, b := range unused[:max(0, min(many, len(unused)))] {
		add(0, func() { b.disconnect(true, "too many servers in the pool") })
	}
	waiting := len(q.clients[clientWaits]) + len(q.clients[clientWaitsToCancel])
	if q.connectFailed && waiting > 0 && len(q.servers[serverLogin]) == 0 {
		add(q.lastConnect+o.ServerLoginRetry, func() {}) // activate tries again
	}
}

// unusedDeadlines adds what is due for a server connection that no client has.
func (q *pool) unusedDeadlines(b *backend, add add) {
	o := &q.pooler.options
	switch {
	case b.obsolete:
		add(0, func() { b.disconnect(true, "database configuration changed") })
		return
	case b.state != serverTested && !b.ready:
		add(0, func() { b.disconnect(true, "server got dirty") })
		return
	}
	after(add, b.lastReply, o.ServerIdleTimeout, func() { b.disconnect(true, "server idle timeout") })
	if o.ServerLifetime != Never {
		add(max(b.since+o.ServerLifetime, q.lastLifetime+o.ServerLifetime/time.Duration(o.DefaultPoolSize)), func() {
			if q.lifeOver(b) {
				b.disconnect(true, "server lifetime over")
				q.lastLifetime = q.pooler.now()
			}
		})
	}
	if b.state == serverIdle {
		after(add, b.lastReply, o.ServerCheckDelay, func() {
			if b.state == serverIdle {
				b.enter(serverUsed)
			}
		})
	}
}

// clientDeadlines adds what is due for clients.
func (q *pool) clientDeadlines(add add) {
	o := &q.pooler.options
	for _, c := range q.clients[clientActive] {
		if c.server == nil {
			after(add, c.lastRequest, o.ClientIdleTimeout, func() { c.disconnect(true, "client_idle_timeout") })
		}
	}
	for _, c := range q.clients[clientWaits] {
		since := c.lastRequest
		if c.querying {
			since = c.queryStart
		}
		after(add, since, o.QueryTimeout, func() { c.disconnect(true, "query_timeout") })
		after(add, since, o.QueryWaitTimeout, func() { c.disconnect(true, "query_wait_timeout") })
		if c.awaitsWelcome && !q.known {
			after(add, c.since, o.ClientLoginTimeout, func() { c.disconnect(true, "client_login_timeout (server down)") })
		}
	}
	for _, c := range q.clients[clientWaitsToCancel] {
		after(add, c.lastRequest, o.QueryTimeout, func() { c.disconnect(false, "cancel request query_timeout") })
		after(add, c.lastRequest, o.QueryWaitTimeout, func() { c.disconnect(false, "cancel request query_wait_timeout") })
	}
}

// plan schedules the next maintenance that has something to do.
func (p *Pooler) plan() {
	const never = time.Duration(1<<63 - 1)
	due := never
	p.deadlines(func(at time.Duration, _ func()) { due = min(due, at) })
	if due != never {
		ticks := (max(due, p.now()+1) - p.started + maintenance - 1) / maintenance
		due = p.started + ticks*maintenance
	}
	if p.planned != nil && p.due == due {
		return
	}
	p.unplan()
	if due == never {
		return
	}
	p.due = due
	p.planned = p.world.At(p.Actor, due, sim.EventWork, sim.EventOptions{}, func() {
		p.planned = nil
		p.do(p.maintain)
	})
}

// unplan cancels the maintenance that is planned.
func (p *Pooler) unplan() {
	if p.planned != nil {
		p.planned()
		p.planned = nil
	}
}

// maintain does what is due.
func (p *Pooler) maintain() {
	now := p.now()
	var acts []func()
	p.deadlines(func(at time.Duration, act func()) {
		if at <= now {
			acts = append(acts, act)
		}
	})
	if len(acts) > 0 {
		p.world.Log(sim.Event{Kind: sim.EventWork, Actor: p.Name(), Detail: "maintenance"})
	}
	for _, act := range acts {
		act()
	}
}
