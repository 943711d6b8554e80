package simredis

import (
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// Errors of MIGRATE.
const (
	errConnecting = "IOERR error or timeout connecting to the client"
	errReading    = "IOERR error or timeout reading to target instance"
	errBusyKey    = "BUSYKEY Target key name already exists."
	errTarget     = "ERR Target instance replied with error: "
)

// transfer is a MIGRATE under way. The node executes nothing else meanwhile.
type transfer struct {
	keys            []string
	copies, replace bool // the source keeps its keys; the target may have them
	timeout         time.Duration
	by              model.Origin
	conn            *conn               // the client of the MIGRATE; nil if it has none
	done            func(reason string) // called with the error of the answer, "" after success
	cancel          func()              // takes the timeout back
}

// parcel is a key on its way, with the rest of its life.
type parcel struct {
	key     string
	entry   *entry
	ttl     time.Duration // 0 if it has none
	replace bool
}

// restoreAsking is the command that sends a key to another node.
var restoreAsking = &spec{name: "restore-asking", write: true}

// migrate executes MIGRATE: it sends keys to another node, and removes them when that node has confirmed them. If the
// answer does not arrive in time, both nodes have the keys.
func (m *member) migrate(r *request) {
	if r.queued || r.out != r.conn.out {
		r.conn.unsupported("MIGRATE in a transaction or a script")
		r.out.WriteError("ERR the simulated Redis does not support MIGRATE in a transaction or a script")
		return
	}
	t := &transfer{keys: r.args[2:3], by: r.by(), conn: r.conn}
	t.done = func(reason string) { m.answer(t, reason) }
	reason := t.options(r.args[5:], r.args[2] != "")
	db, ok := integer(r.args[3])
	timeout, isTime := integer(r.args[4])
	switch {
	case reason != "":
	case !isTime || !ok:
		reason = errInteger
	case db != 0:
		reason = errTarget + errNoSelect
	}
	if reason != "" {
		r.out.WriteError(reason)
		return
	}
	if timeout <= 0 {
		timeout = 1000
	}
	t.timeout = time.Duration(timeout) * time.Millisecond
	parcels := m.pack(t)
	if len(parcels) == 0 {
		r.out.WriteInline("NOKEY")
		return
	}
	if reason := m.begins(t, m.bus.at(r.args[0]+":"+r.args[1]), parcels); reason != "" {
		r.out.WriteError(reason)
	}
}

// options reads what follows the timeout of MIGRATE.
func (t *transfer) options(args []string, keyed bool) (reason string) {
	for i := 0; i < len(args); i++ {
		switch o := strings.ToLower(args[i]); {
		case o == "copy":
			t.copies = true
		case o == "replace":
			t.replace = true
		case o == "auth" && i+1 < len(args):
			i++
		case o == "auth2" && i+2 < len(args):
			i += 2
		case o == "keys" && keyed:
			return "ERR When using MIGRATE KEYS option, the key argument must be set to the empty string"
		case o == "keys":
			t.keys = args[i+1:]
			return ""
		default:
			return errSyntax
		}
	}
	return ""
}

// pack takes the keys that the node has.
func (m *member) pack(t *transfer) (parcels []parcel) {
	now := m.node.now()
	for _, key := range t.keys {
		e := m.node.lookup(key)
		if e == nil {
			continue
		}
		p := parcel{key: key, entry: e, replace: t.replace}
		if !e.expires.IsZero() {
			p.ttl = max(e.expires.Sub(now), time.Millisecond)
		}
		parcels = append(parcels, p)
	}
	return parcels
}

// begins sends the keys. If the target is down, it returns the error of the refused connection. A target that is cut
// off does not accept the connection.
func (m *member) begins(t *transfer, to *member, parcels []parcel) (refused string) {
	n, world := m.node, m.node.world
	if to == nil || to.node.Down() {
		return errConnecting
	}
	m.transfer = t
	connected, late := m.bus.connected(m, to), errReading
	if !connected {
		late = errConnecting
	}
	t.cancel = world.At(n.Actor, world.Now()+t.timeout, sim.EventWork, sim.EventOptions{}, func() {
		world.Log(sim.Event{Kind: sim.EventWork, Actor: n.Name(), Detail: "a MIGRATE has timed out"})
		m.ends(t, late)
	})
	if connected {
		m.ship(t, to, parcels)
	}
	return ""
}

// ship sends the keys on a connection of its own.
func (m *member) ship(t *transfer, to *member, parcels []parcel) {
	n, world := m.node, m.node.world
	there, back := server.NewLane(world, n.Actor, to.node.Actor), server.NewLane(world, to.node.Actor, n.Actor)
	mine, its := n.life, to.node.life
	names := make([]string, len(parcels))
	for i, p := range parcels {
		names[i] = p.key
	}
	there.Send("migrate "+strings.Join(names, " "), func() bool { return to.node.life != its || to.node.Down() }, func() {
		to.node.enqueue(job{do: func() {
			answers := to.unpack(parcels, t.by)
			back.Send("migrated", func() bool { return n.life != mine }, func() {
				n.Do(func() { m.migrated(t, parcels, answers) })
			})
		}})
	})
}

// at returns the node at an address, nil if there is none.
func (b *Shards) at(address string) *member {
	for _, o := range b.members {
		if o.node.Address() == address {
			return o
		}
	}
	return nil
}

// migrated is the arrival of the target's answers. Keys that the target has accepted
// are removed here.
func (m *member) migrated(t *transfer, parcels []parcel, answers []string) {
	if m.transfer != t {
		return
	}
	reason := ""
	for i, a := range answers {
		switch {
		case a == "" && !t.copies:
			m.node.delete(parcels[i].key, t.by)
		case a != "" && reason == "":
			reason = errTarget + a
		}
	}
	m.node.replicate()
	if t.conn != nil {
		t.conn.written = m.node.Position
	}
	m.ends(t, reason)
}

// abandon gives up a MIGRATE whose answer is too late.
func (m *member) abandon() {
	if t := m.transfer; t != nil {
		m.ends(t, errReading)
	}
}

// ends ends a MIGRATE, and goes on with requests that have arrived meanwhile.
func (m *member) ends(t *transfer, reason string) {
	if m.transfer != t {
		return
	}
	t.cancel()
	m.transfer = nil
	n := m.node
	n.busyUntil = max(n.busyUntil, n.world.Now())
	t.done(reason)
	if !n.working {
		n.work()
	}
}

// answer answers a client's MIGRATE. The client's next commands are executed then.
func (m *member) answer(t *transfer, reason string) {
	c := t.conn
	if c.dead() {
		return
	}
	if reason != "" {
		c.out.WriteError(reason)
	} else {
		c.out.WriteOK()
	}
	c.answer()
	if rest := c.in; len(rest) > 0 {
		c.in = nil
		m.node.queue = slices.Insert(m.node.queue, 0, job{conn: c, data: rest, task: c.task})
	}
}

// unpack accepts keys of another node, and returns an error for each, "" after success.
func (m *member) unpack(parcels []parcel, by model.Origin) (answers []string) {
	n := m.node
	n.expire()
	asker := &conn{asking: true}
	for _, p := range parcels {
		n.busyUntil = max(n.busyUntil, n.world.Now()) + n.service("restore-asking")
		reason := m.refusal(asker, restoreAsking, []*request{{spec: restoreAsking, args: []string{p.key}}})
		switch {
		case reason != "":
		case n.lookup(p.key) != nil && !p.replace:
			reason = errBusyKey
		default:
			e := &entry{value: p.entry.value, owner: p.entry.owner}
			if p.ttl > 0 {
				e.expires = n.now().Add(p.ttl)
			}
			n.change(p.key, e, by)
			n.refresh(p.key)
		}
		answers = append(answers, reason)
	}
	n.replicate()
	return answers
}
