package simpgbouncer

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

const (
	name    = "pgbouncer"
	address = "10.0.5.200:6432"
)

// Pooler is a PgBouncer: an actor to whose Address clients connect. It is Down from a crash until it starts again. Only the
// conductor may use it.
type Pooler struct {
	*server.Host
	world   *sim.World
	options Options
	serving func() Node
	report  func(model.Observation)

	pools   []*pool   // in the order of their databases and users
	clients []*client // that are connected
	logins  []*client // of them, those that have sent no start-up message yet
	keys    uint64    // cancel keys given out so far
	waits   int       // of clients, so far

	host    Node          // the node that the name of the host leads to, as the pooler remembers it
	forget  time.Duration // when it looks the name up again
	started time.Duration
	life    int
	acts    bool   // an event is being handled
	planned func() // cancels the maintenance that is planned; nil if there is none
	due     time.Duration
}

// New adds a pooler to the world. Serving returns the node to which its `host` leads now, nil if there is none. Every
// observation of the pooler goes to observe.
func New(w *sim.World, o Options, serving func() Node, observe func(model.Observation)) *Pooler {
	p := &Pooler{world: w, options: o.withDefaults(), serving: serving, report: observe}
	p.Host = server.NewHost(w, name, address, p.accept)
	return p
}

// Healed reports whether the pooler is up and does not hang.
func (p *Pooler) Healed() bool { return !p.Down() && !p.Hangs() }

// Hang stops the pooler for d, as SIGSTOP does: the machine still accepts connections and data. Hang does nothing, and
// returns false, if the pooler is down or hangs already.
func (p *Pooler) Hang(d time.Duration) bool {
	return p.Host.Hang(d, func() {
		for _, f := range p.Held() {
			f()
		}
	})
}

// Crash ends the pooler's process: the connections of its clients and those to the servers are reset, and dials are
// refused.
func (p *Pooler) Crash() {
	if !p.Host.Crash(p.observe) {
		return
	}
	p.life++
	p.unplan()
	p.Held()
	for _, q := range p.pools {
		for _, b := range q.all() {
			b.state = serverGone
			b.wire.lose()
		}
	}
	for _, c := range p.clients {
		c.state = clientGone
	}
	p.pools, p.clients, p.logins, p.host = nil, nil, nil, nil
	p.world.Network().Crash(p.Actor)
}

// Restart starts the pooler again after a crash, with empty pools.
func (p *Pooler) Restart() {
	if !p.Down() {
		return
	}
	p.Start()
	p.started = p.world.Now()
	p.observe(model.Observation{Kind: model.Returned})
}

// observe adds an observation of the pooler, with an event of the log.
func (p *Pooler) observe(o model.Observation) { p.report(p.Logged(o)) }

// do handles an event: now, or, if the pooler hangs, when it resumes.
func (p *Pooler) do(f func()) {
	life := p.life
	p.Do(func() {
		switch {
		case p.life != life:
		case p.acts:
			f()
		default:
			p.acts = true
			f()
			for _, q := range p.pools {
				q.activate()
			}
			p.acts = false
			p.plan()
		}
	})
}

// now returns the time by which ages are measured.
func (p *Pooler) now() time.Duration { return p.world.Now() }

// pool returns the pool of a database and a user.
func (p *Pooler) pool(database, user string) *pool {
	q := &pool{pooler: p, database: database, user: user, lastLifetime: math.MinInt64 / 2}
	i, known := slices.BinarySearchFunc(p.pools, q, func(a, b *pool) int {
		return cmp.Or(cmp.Compare(a.database, b.database), cmp.Compare(a.user, b.user))
	})
	if !known {
		p.pools = slices.Insert(p.pools, i, q)
	}
	return p.pools[i]
}

// resolve returns the node to connect to. If the host's name leads to another one than before, the old server
// connections end when they are given back.
func (p *Pooler) resolve() Node {
	if p.options.DNSMaxTTL == 0 {
		return p.serving()
	}
	if p.host != nil && p.now() <= p.forget {
		return p.host
	}
	old := p.host
	p.host, p.forget = p.serving(), p.now()+p.options.DNSMaxTTL
	if old == nil || p.host == old {
		return p.host
	}
	for _, q := range p.pools {
		for _, b := range q.all() {
			b.obsolete = b.obsolete || b.wire != nil && b.wire.node == old
		}
	}
	return p.host
}

// cancelKey returns a new key, which is as random as it has to be.
func (p *Pooler) cancelKey() (key [8]byte) {
	p.keys++
	for i := range key {
		var d sim.Digest
		d.Uint(p.keys)
		d.Uint(uint64(i))
		key[i] = byte(d.Sum())
	}
	return key
}
