package simzk

import (
	"encoding/binary"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// conn is a client's connection to a server.
type conn struct {
	node   *Node
	sock   *sim.ServerConn
	in     []byte
	closed bool
	ready  bool // its session is there
	// session is that of the client; 0 as long as it is not known.
	session int64
	queue   []*pending // requests that are not answered, in their order
}

// maxFrame is the longest request that a server accepts (jute.maxbuffer).
const maxFrame = 1 << 20

// accept handles a new connection. A server without a leader closes it.
func (n *Node) accept(s *sim.ServerConn) sim.Handler {
	c := &conn{node: n, sock: s}
	n.conns = append(n.conns, c)
	return c
}

// Receive handles the frames that have arrived whole.
func (c *conn) Receive(data []byte, t *sim.Task) {
	c.node.Do(func() {
		c.in = append(c.in, data...)
		for !c.closed && len(c.in) >= 4 {
			size := int(binary.BigEndian.Uint32(c.in))
			if size > maxFrame || !c.node.serves() {
				c.close()
				return
			}
			if len(c.in) < 4+size {
				return
			}
			frame := c.in[4 : 4+size]
			c.in = c.in[4+size:]
			c.frame(frame, t)
		}
	})
}

// Gone handles the end of the connection, from either side. The session goes on. A server
// that hangs handles first what has arrived before.
func (c *conn) Gone() { c.node.Do(c.end) }

func (c *conn) end() {
	c.closed = true
	c.node.watches.forget(c)
	c.node.conns = slices.DeleteFunc(c.node.conns, func(o *conn) bool { return o == c })
}

// Owes reports whether a request is not answered yet.
func (c *conn) Owes() bool { return len(c.queue) > 0 || len(c.in) > 0 }

// close closes the connection after what was sent.
func (c *conn) close() {
	if !c.closed {
		c.sock.Close()
		c.end()
	}
}

// by returns the origin of what a request does.
func (c *conn) by(t *sim.Task) model.Origin {
	o := model.Origin{Client: c.sock.Client().Name(), Conn: c.sock.ID()}
	if t != nil {
		o.Op = t.ID
	}
	return o
}

func (c *conn) send(frame []byte, t *sim.Task) {
	c.sock.Send(0, append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...), t)
}

// notify notifies the client of an event that it watches for, and that may have been caused
// by a request.
func (c *conn) notify(kind int32, path string, by model.Origin) {
	c.observeEvent(kind, path, by)
	c.send(event(kind, stateConnected, path), nil)
}

// frame handles one frame: the first one asks for a session.
func (c *conn) frame(frame []byte, t *sim.Task) {
	if !c.ready && c.session == 0 {
		k, err := parseConnect(frame)
		if err != nil || k.lastZxid > c.node.state.lastZxid {
			c.close() // it has seen what this server has not
			return
		}
		c.connect(k, t)
		return
	}
	r, err := parseRequest(frame)
	if err != nil || !c.ready {
		c.close()
		return
	}
	if c.node.heardOf(c.session) {
		c.request(r, t)
	}
}

// pending is a request that is not answered.
type pending struct {
	*request
	conn *conn
	task *sim.Task
	done bool   // a write, or a sync, that has been carried out
	body []byte // of its answer
	code code
	zxid int64
}

// request queues a request. A request that concerns the leader is sent there at once; all
// are answered in their order.
func (c *conn) request(r *request, t *sim.Task) {
	p := &pending{request: r, conn: c, task: t}
	c.queue = append(c.queue, p)
	c.node.serve(r.op.String(), t)
	if what := r.unsupported(); what != "" {
		c.sock.Refuse(t, "the simulated ZooKeeper does not support "+what)
	}
	switch {
	case r.op == opPing:
		p.done = true
	case r.op == opSync:
		c.node.forward("sync", func(l *leadership) { l.syncFor(p) })
	case r.writes():
		c.node.forward(r.op.String(), func(l *leadership) { l.write(p) })
	}
	c.advance()
}

// forward asks the leader for something.
func (n *Node) forward(what string, ask func(*leadership)) {
	if n.leads != nil {
		ask(n.leads)
		return
	}
	n.toLeader(what, func(l *leadership) {
		l.node.serve(forPeer, nil)
		ask(l)
	})
}

// advance answers requests from the front of the queue, as far as they can be answered.
func (c *conn) advance() {
	for !c.closed && len(c.queue) > 0 {
		p := c.queue[0]
		switch {
		case p.done:
		case p.writes() || p.op == opSync:
			return
		default:
			p.read()
		}
		c.queue = c.queue[1:]
		c.answer(p)
	}
}

// read executes a request on the server's own state.
func (p *pending) read() {
	n := p.conn.node
	p.code, p.body = n.state.read(p.request)
	set := n.watches.after(p.request, p.code, p.conn)
	if p.code == codeOK && (p.op == opSetWatches || p.op == opSetWatches2) {
		var missed []notice[*conn]
		set, missed = n.watches.restore(n.state, p.request, p.conn)
		for _, w := range missed {
			w.to.notify(w.kind, w.path, model.Origin{})
		}
	}
	for _, w := range set {
		p.conn.observeWatch(w, p.conn.by(p.task))
	}
	p.done, p.zxid = true, n.state.lastZxid
}

func (c *conn) answer(p *pending) {
	switch {
	case p.op == opCreateSession:
		c.ready = true
		c.send(p.body, p.task)
		if p.code != codeOK {
			c.close()
		}
		return
	case p.code == codeSessionMoved: // a server says nothing then
		c.close()
		return
	case p.refused(): // whatever the state
		p.zxid = 0
	case p.zxid == 0:
		p.zxid = c.node.state.lastZxid
	}
	c.send(reply(p.xid, p.zxid, p.code, p.body), p.task)
	if p.op == opClose || p.refused() {
		c.close()
	}
}

// complete answers a write that was applied.
func (p *pending) complete(x *entry, changes []change) {
	p.done, p.zxid = true, x.zxid
	if x.op == opCreateSession {
		p.body = connectReply(x.timeout, x.session, x.password)
	} else {
		p.code, p.body = x.answer(changes)
	}
	p.conn.advance()
}

// write proposes what a request asks for. A request that its session may not make fails by a transaction, so that
// its client is answered when a majority has that transaction. As in ZooKeeper, a request to close a session is
// never refused.
func (l *leadership) write(p *pending) {
	id := p.conn.session
	s := l.sessions[id]
	refused := codeOK
	switch {
	case p.op == opClose:
	case s == nil || s.closing:
		refused = codeSessionExpired
	case s.owner != nil && s.owner != p.conn.node:
		refused = codeSessionMoved
	default:
		s.owner = p.conn.node
	}
	if refused == codeOK {
		l.answers(id)
	}
	if p.op == opClose && s != nil {
		s.closing = true
	}
	l.propose(func(zxid, at int64) *txn {
		if refused != codeOK {
			return &txn{zxid: zxid, at: at, session: id, op: p.op, code: refused}
		}
		return l.head.prepare(id, p.request, zxid, at)
	}, &entry{from: p, by: p.conn.by(p.task)})
}

// syncFor answers a request to sync once its server has all that is proposed now.
func (l *leadership) syncFor(p *pending) {
	n := p.conn.node
	l.answers(p.conn.session)
	done := func() {
		p.code, p.body = n.state.read(p.request)
		p.done = true
		p.conn.advance()
	}
	l.sync(func() {
		if n == l.node {
			done()
			return
		}
		l.node.Send(n.peer, "sync", done)
	})
}

// connect opens a session, or continues one.
func (c *conn) connect(k connect, t *sim.Task) {
	p := &pending{request: &request{op: opCreateSession}, conn: c, task: t}
	c.queue = append(c.queue, p)
	c.node.serve(opCreateSession.String(), t)
	if k.session != 0 {
		c.session = k.session
		c.node.forward("session", func(l *leadership) { l.takeUp(k, p) })
		return
	}
	n := c.node
	n.opened++
	c.session = int64(n.number)<<56 | n.opened
	timeout := n.ensemble.negotiate(k.timeout)
	n.forward("session", func(l *leadership) {
		l.track(c.session, timeout, n)
		l.propose(func(zxid, at int64) *txn {
			return newSessionTxn(c.session, timeout, password(c.session), zxid, at)
		}, &entry{from: p, by: c.by(t)})
	})
}

// takeUp lets a client go on with its session at another connection, if it has not ended.
func (l *leadership) takeUp(k connect, p *pending) {
	n := p.conn.node
	s := l.sessions[k.session]
	right := string(k.password) == string(password(k.session))
	alive := s != nil && !s.closing && right
	timeout := n.ensemble.negotiate(k.timeout)
	if alive {
		s.owner, s.timeout = n, timeout
		l.touch(k.session)
	}
	done := func() {
		p.done = true
		if alive {
			p.conn.observeMoved()
			n.disconnect(k.session, p.conn)
			p.body = connectReply(timeout, k.session, k.password)
		} else {
			p.conn.observeRefused()
			p.code, p.body = codeSessionExpired, connectReply(0, 0, nil)
		}
		p.conn.advance()
	}
	if n == l.node {
		done()
		return
	}
	l.node.Send(n.peer, "session", done)
}

// disconnect closes the other connections of a session.
func (n *Node) disconnect(session int64, but *conn) {
	for _, c := range slices.Clone(n.conns) {
		if c != but && c.session == session {
			c.close()
		}
	}
}

// password returns the password of a session. Unlike that of a real server it is easy
// to guess.
func password(session int64) []byte {
	var d sim.Digest
	d.Uint(uint64(session))
	p := binary.BigEndian.AppendUint64(nil, d.Sum())
	return binary.BigEndian.AppendUint64(p, uint64(session))
}
