package simfile

import (
	"bytes"
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// conn is a client's connection.
type conn struct {
	server *Server
	sock   *sim.ServerConn
	in     []byte
}

// longest is the longest line that the server accepts, in bytes.
const longest = 64 << 10

// Receive serves the requests that have arrived completely.
func (c *conn) Receive(data []byte, t *sim.Task) {
	c.server.Do(func() {
		c.in = append(c.in, data...)
		for {
			text, rest, whole := bytes.Cut(c.in, []byte("\n"))
			if !whole {
				break
			}
			c.in = rest
			if r, err := ParseRequest(string(text)); err != nil || !c.serve(r, t) {
				c.sock.Close()
				return
			}
		}
		if len(c.in) > longest {
			c.sock.Close()
		}
	})
}

// Gone is the end of the connection. The client's session remains.
func (*conn) Gone() {}

// serve answers a request. It returns false if the request must not be answered, because its client
// has sent a later one, or uses another connection by now.
func (c *conn) serve(r Request, t *sim.Task) bool {
	s := c.server
	s.world.Served(t, string(r.Op))
	if s.meter != nil {
		s.Serve(s.meter(string(r.Op)))
	}
	if r.Op == Open {
		c.sock.Send(0, s.open(r).Line(), t)
		return true
	}
	k := s.session(r.Session)
	if k == nil {
		c.sock.Send(0, Answer{Number: r.Number, Boot: s.boot, Status: Expired}.Line(), t)
		return true
	}
	if r.Number < k.number || c.sock.ID() < k.conn {
		return false
	}
	k.conn = c.sock.ID()
	s.renew(k)
	if r.Number > k.number {
		k.number, k.answer = r.Number, s.execute(k, r, c.by(t))
		k.answer.Number, k.answer.Boot = r.Number, s.boot
	}
	c.sock.Send(0, k.answer.Line(), t)
	return true
}

// by returns the origin of a request's changes.
func (c *conn) by(t *sim.Task) model.Origin {
	o := model.Origin{Client: c.sock.Client().Name(), Conn: c.sock.ID()}
	if t != nil {
		o.Op = t.ID
	}
	return o
}

// open opens a session. If the answer is lost, the session is never used, and its lease
// expires.
func (s *Server) open(r Request) Answer {
	s.numbered++
	k := &session{id: s.numbered, ends: s.now().Add(s.options.Lease)}
	s.sessions = append(s.sessions, k)
	s.watchLeases()
	return Answer{Number: r.Number, Boot: s.boot, Status: OK, Values: []string{
		strconv.FormatInt(k.id, 10), strconv.FormatInt(s.options.Lease.Milliseconds(), 10),
	}}
}

// execute executes a request of a session. In a grace period it refuses requests that may conflict
// with a lock that is not reclaimed yet (RFC 7530, section 9.6.2).
func (s *Server) execute(k *session, r Request, by model.Origin) Answer {
	switch r.Op {
	case Create, Read, Write, Lock:
		if !s.grace.IsZero() {
			return Answer{Status: Grace}
		}
	}
	switch r.Op {
	case Create:
		return s.create(r.Args[0], r.Args[1], r.Args[2], by)
	case Read:
		return s.read(r.Args[0])
	case Write:
		return s.write(r.Args[0], r.Args[1], by)
	case Remove:
		return s.remove(r.Args[0], by)
	case Rename:
		return s.rename(r.Args[0], r.Args[1], by)
	case Stat:
		return s.stat(r.Args[0])
	case Lock:
		return s.lock(k, r.Args[0], r.Args[1], by)
	case Reclaim:
		return s.reclaim(k, r.Args[0], r.Args[1])
	case Unlock:
		return s.unlock(k, r.Args[0], r.Args[1], by)
	}
	return Answer{Status: OK} // Renew
}
