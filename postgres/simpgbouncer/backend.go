package simpgbouncer

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/sim"
)

// serverState is what a server connection does.
type serverState int

// The states of server connections.
const (
	serverLogin    serverState = iota // it is being opened
	serverActive                      // a client has it
	serverIdle                        // a client may have it
	serverTested                      // it executes a query of the pooler
	serverUsed                        // it was idle for long, and is tested before a client may have it
	serverCanceled                    // a cancel request for it is under way
	serverCancels                     // it forwards a cancel request
	serverGone
	serverStates
)

// backend is a connection to a server.
type backend struct {
	pooler *Pooler
	pool   *pool
	wire   *link
	client *client
	had    []*client // in the order in which they had it first
	state  serverState

	in   []byte
	out  []byte // handled, and not sent to the client yet
	task *sim.Task

	vars          vars
	key           []byte // of the server, for cancel requests
	ready         bool   // it is in no transaction, and owes nothing
	inTransaction bool   // it is idle in a transaction
	settingVars   bool   // it executes SET before the client's query
	obsolete      bool   // it ends when it is given back
	cancelers     []*client

	since     time.Duration
	lastReply time.Duration
}

// enter changes the state of the server connection.
func (b *backend) enter(s serverState) {
	old := &b.pool.servers[b.state]
	*old = slices.DeleteFunc(*old, func(o *backend) bool { return o == b })
	b.state = s
	list := &b.pool.servers[s]
	switch {
	case s == serverGone:
	case s == serverUsed || s == serverIdle && !b.obsolete && !b.pooler.options.ServerRoundRobin:
		*list = slices.Insert(*list, 0, b)
	default:
		*list = append(*list, b)
	}
}

// send sends data to the server.
func (b *backend) send(r request) { b.wire.send(r) }

// query sends a query of the pooler itself, for the client if there is one.
func (b *backend) query(sql string, c *client) {
	r := request{data: encode(&pgproto3.Query{String: sql})}
	if c != nil {
		r.task, r.client = c.task, c.sock
	}
	b.send(r)
}

// connected is the server's acceptance of the connection. It is used for a cancel request if there is one.
func (b *backend) connected() {
	b.lastReply = b.pooler.now()
	if len(b.pool.clients[clientWaitsToCancel]) == 0 {
		b.send(request{data: startup(b.pool.user, b.pool.database)})
		return
	}
	if !b.forwardCancel() {
		b.ready = true // the attempt has not failed
		b.disconnect(false, "failed to send cancel req")
	}
}

// receive is the arrival of data from the server. What is for the client is sent together.
func (b *backend) receive(data []byte, t *sim.Task) {
	b.in, b.task = append(b.in, data...), t
	if b.client != nil {
		b.client.reports = false
	}
	for len(b.in) > 0 {
		m, whole, bad := cut(b.in)
		if bad {
			b.disconnect(true, "bad pkt header")
			return
		}
		if !whole {
			break
		}
		b.lastReply = b.pooler.now()
		if !b.handle(m) {
			return
		}
		b.in = b.in[len(m.raw):]
	}
	b.flush()
	if len(b.in) == 0 {
		b.flushed()
	}
}

// flush sends to the client what is for it.
func (b *backend) flush() {
	if len(b.out) > 0 && b.client != nil {
		b.client.sock.Send(0, b.out, b.task)
	}
	b.out = nil
}

// handle handles a message. If it returns false, the connection is over.
func (b *backend) handle(m message) bool {
	switch b.state {
	case serverLogin:
		return b.login(m)
	case serverCancels:
		return true
	}
	return b.work(m)
}

// login handles a message of a server connection that is being opened.
func (b *backend) login(m message) bool {
	q := b.pool
	switch m.kind {
	case 'E':
		if !q.known {
			q.refuseLogins(m.errorText())
		}
		b.disconnect(true, "login failed")
		return false
	case 'R':
		if len(m.body) != 4 || m.code() != 0 {
			b.disconnect(false, "failed to answer authreq")
			return false
		}
	case 'S':
		return b.parameter(m)
	case 'K':
		b.key = m.body
	case 'N':
	case 'Z':
		b.ready, q.known = true, true
		return b.release()
	default:
		b.disconnect(true, "unknown pkt from server")
		return false
	}
	return true
}

// parameter notes a parameter that the server has reported.
func (b *backend) parameter(m message) bool {
	name, value, ok := m.pair()
	if !ok {
		b.disconnect(true, "broken ParameterStatus packet")
		return false
	}
	b.vars.set(name, value)
	if b.client != nil {
		b.client.vars.set(name, value)
	}
	if q := b.pool; b.state == serverLogin && !q.known && !q.vars.set(name, value) {
		q.welcome = append(q.welcome, m.raw...)
	}
	return true
}

// work handles a message of a server connection that is open.
func (b *backend) work(m message) bool {
	ready, inTransaction := false, false
	switch m.kind {
	case 'Z': // ReadyForQuery
		if len(m.body) == 0 {
			b.disconnect(true, "unknown pkt")
			return false
		}
		ready = m.body[0] == 'I'
		inTransaction = !ready
		if !ready && b.pooler.options.PoolMode == Statement {
			b.disconnect(true, "transaction blocks not allowed in statement pooling mode")
			return false
		}
		if c := b.client; c != nil && !b.settingVars && c.expects > 0 {
			c.expects--
		}
	case 'S':
		if !b.parameter(m) {
			return false
		}
	case 'E':
		if b.settingVars {
			b.disconnect(true, "invalid server parameter")
			return false
		}
	case 'A': // NotificationResponse
		ready, inTransaction = b.ready, b.inTransaction
	case 'C', 'N', 'G', 'H', '2', '3', 'c', 'f', 'I', 'V', 'n', '1', 's', 'd', 'D', 't', 'T':
	default:
		b.disconnect(true, "unknown pkt")
		return false
	}
	b.ready, b.inTransaction = ready, inTransaction
	if c := b.client; c != nil && !b.settingVars {
		b.out = append(b.out, m.raw...)
		c.noteReport(m)
		if c.expects == 0 && (ready || inTransaction) {
			c.querying = false
		}
	}
	return true
}

// flushed is called when all that has arrived is handled and sent. It gives the server connection back at the end of a
// transaction, or of a query of the pooler.
func (b *backend) flushed() {
	switch {
	case !b.ready:
	case b.settingVars:
		b.settingVars = false
		b.client.goOn()
	case b.state == serverTested:
		b.release()
	case b.state != serverActive || b.pooler.options.PoolMode == Session:
	case b.client != nil && b.client.expects > 0: // it is in the midst of a pipeline
	default:
		b.release()
	}
}

// ended is the arrival of the connection's end.
func (b *backend) ended(refused bool) {
	switch {
	case b.state == serverGone:
	case b.state == serverCancels:
		b.disconnect(false, "successfully sent cancel request")
	case refused:
		b.disconnect(false, "connect failed")
	default:
		b.disconnect(false, "server conn crashed?")
	}
}
