package simzk

import (
	"fmt"
	"net"
	"slices"
	"time"
)

// command is a line of a script: what a client does.
type command struct {
	client   int
	what     action
	requests []*request    // sent at once
	timeout  time.Duration // of a session that goes on at another connection, or a new one
	watches  *request      // that are set then
}

// action is a kind of command.
type action int

const (
	nothing action = iota // nothing: what scripts shrink to
	ask                   // send requests, and wait for their replies
	drop                  // close the connection, not the session
	reopen                // connect again, with the session, or open one
	intrude               // connect with the session's number and another password
	finish                // close the session
	expire                // let the session end for lack of a connection
	idle                  // let the session end on a connection that sends nothing
)

func (d action) String() string {
	return [...]string{"nothing", "ask", "drop", "reopen", "intrude", "finish", "expire", "idle"}[d]
}

// changes reports whether a server may have a new zxid after the command.
func (c command) changes() bool {
	switch c.what {
	case ask:
		return slices.ContainsFunc(c.requests, (*request).writes)
	case reopen, finish, expire, idle:
		return true
	}
	return false
}

// place is where a script is played: on a real server, or in a simulated world.
type place struct {
	dial  func(client int) (net.Conn, error)
	sleep func(time.Duration)
	tick  time.Duration
}

const (
	// longSession is the longest time-out of a session. No script takes so long.
	longSession = time.Minute
	// patience is how long a server may take to answer.
	patience = time.Minute
)

// player plays scripts with a few clients, and writes down what they get.
// After each command all clients that are connected have caught up with it.
type player struct {
	place
	teller
	clients []*client
	lines   []string
}

// client is one client: a session and, if it is connected, a connection.
type client struct {
	player   *player
	number   int
	conn     *frames
	session  int64
	password []byte
	zxid     int64 // the last that it has seen
	xid      int32
}

func newPlayer(p place, clients int) *player {
	x := &player{place: p, teller: teller{sessions: map[int64]string{}}}
	for i := range clients {
		x.clients = append(x.clients, &client{player: x, number: i})
	}
	return x
}

// play plays a script below a znode of its own, which must not exist, or as it
// is, and closes all sessions.
func (x *player) play(root string, script []command) []string {
	first := x.clients[0]
	first.connect(longSession, nil)
	if first.conn == nil {
		return append(x.lines, "there is no server")
	}
	opening := &request{op: opCreate, path: root, acl: world(permAll)}
	if root == "" {
		opening = &request{op: opSync, path: "/"}
	}
	first.ask(opening)
	x.first, x.lines = first.zxid, nil
	for _, c := range x.clients[1:] {
		c.connect(longSession, nil)
	}
	for i, command := range script {
		x.say("%d:", i)
		actor := x.clients[command.client]
		actor.do(command)
		if command.changes() {
			x.settle(actor)
		}
	}
	for _, c := range x.clients {
		if c.conn == nil && c.session != 0 {
			c.connect(longSession, nil)
		}
		if c.conn != nil {
			c.ask(&request{op: opClose})
		}
	}
	return x.lines
}

func (x *player) say(format string, args ...any) {
	x.lines = append(x.lines, fmt.Sprintf(format, args...))
}

// settle lets the other clients hear of what one has done. It has heard of that
// with its last reply.
func (x *player) settle(actor *client) {
	var others []*client
	for _, c := range x.clients {
		if c != actor && c.conn != nil {
			others = append(others, c)
		}
	}
	var asked [][]*request
	for _, c := range others {
		asked = append(asked, c.send(&request{op: opSync, path: "/"}))
	}
	for i, c := range others {
		c.await(asked[i])
	}
}

func (c *client) say(format string, args ...any) {
	c.player.say("client %d: %s", c.number, fmt.Sprintf(format, args...))
}

// do carries out a command, if the client is in a state to.
func (c *client) do(command command) {
	switch connected := c.conn != nil; {
	case command.what == ask && connected:
		c.ask(command.requests...)
	case command.what == drop && connected:
		c.hangUp()
	case command.what == reopen && !connected:
		c.connect(command.timeout, command.watches)
	case command.what == intrude && !connected && c.session != 0:
		right := c.password
		c.password = make([]byte, passwordLen)
		c.connect(longSession, nil)
		c.password = right
	case command.what == finish && connected:
		c.ask(&request{op: opClose})
		c.session = 0
	case command.what == expire && connected:
		c.shorten()
		c.hangUp()
		c.expire()
		c.connect(longSession, nil)
		c.session = 0
	case command.what == idle && connected:
		c.shorten()
		c.expire()
		c.ends()
		c.session = 0
	}
}

func (c *client) hangUp() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// connect opens a session, or takes up the client's.
func (c *client) connect(timeout time.Duration, watches *request) {
	conn, err := c.player.dial(c.number)
	if err != nil {
		c.say("does not connect")
		return
	}
	c.conn = &frames{conn}
	c.conn.send(connect{lastZxid: c.zxid, timeout: timeout, session: c.session, password: c.password}.encode())
	frame, err := c.conn.receive(patience)
	if err != nil {
		c.say("connecting: %s", ending(err))
		c.hangUp()
		return
	}
	d := decoder{rest: frame}
	version, granted, session, password := d.int(), time.Duration(d.int())*time.Millisecond, d.long(), d.buffer()
	c.say("connected, version %d, %s, for %v, password of %d bytes%s", version, c.player.session(session), granted, len(password), rest(&d))
	if session == 0 {
		c.ends()
		return
	}
	c.session, c.password = session, password
	if watches != nil {
		c.ask(watches)
	}
}

// ends waits for the end of the connection.
func (c *client) ends() {
	for c.conn != nil {
		if _, err := c.conn.receive(patience); err != nil {
			c.say("connection: %s", ending(err))
			c.hangUp()
			return
		}
	}
}

// shorten connects again with a session that will soon end. How that goes is not
// told: a busy server may end the session before it has answered.
func (c *client) shorten() {
	c.hangUp()
	lines := len(c.player.lines)
	c.connect(time.Millisecond, nil)
	c.player.lines = c.player.lines[:lines]
}

// expire waits until the first client sees that the session has ended, which
// takes a transaction.
func (c *client) expire() {
	observer := c.player.clients[0]
	for before := observer.zxid; observer.zxid == before && observer.conn != nil; {
		c.player.sleep(c.player.tick / 4)
		lines := len(c.player.lines)
		observer.ask(&request{op: opSync, path: "/"})
		if observer.zxid == before {
			c.player.lines = c.player.lines[:lines]
		}
	}
}

// ask sends requests at once, and writes down their replies and the events
// before them.
func (c *client) ask(requests ...*request) { c.await(c.send(requests...)) }

// send sends requests at once, and returns them as they were sent.
func (c *client) send(requests ...*request) (sent []*request) {
	var list [][]byte
	for _, r := range requests {
		r := *r // scripts are played more than once
		c.xid++
		r.xid = c.xid
		switch r.op {
		case opPing:
			r.xid = -2 // whatever a client says, servers answer this
		case opSetWatches, opSetWatches2:
			r.lastZxid += c.zxid
		}
		frame := r.encode()
		if r.malformed {
			frame = frame[:len(frame)-1]
		}
		list, sent = append(list, frame), append(sent, &r)
	}
	c.conn.send(list...)
	return sent
}

// await writes down what comes up to the last reply to requests.
func (c *client) await(requests []*request) {
	for _, r := range requests {
		if !c.answered(r) {
			c.hangUp()
			return
		}
	}
}

// answered writes down what comes up to the reply to a request, and reports
// whether the connection goes on.
func (c *client) answered(r *request) bool {
	for {
		frame, err := c.conn.receive(patience)
		if err != nil {
			c.say("%v: %s", r.op, ending(err))
			return false
		}
		d := decoder{rest: frame}
		xid, zxid, outcome := d.int(), d.long(), code(d.int())
		if xid == xidOfEvents {
			c.say("%s, zxid %d, %v", c.player.event(d.rest), zxid, outcome)
			continue
		}
		c.zxid = max(c.zxid, zxid)
		text := rest(&d)
		if outcome == codeOK {
			text = c.player.body(r.op, d.rest)
		}
		if xid != r.xid {
			text += fmt.Sprintf(" XID %d, NOT %d", xid, r.xid)
		}
		c.say("%v at %s: %v %s", r.op, c.player.teller.zxid(zxid), outcome, text)
		if r.op == opClose || r.op == opSetAuth || opNames[r.op] == "" {
			c.ends()
			return c.conn != nil
		}
		return true
	}
}
