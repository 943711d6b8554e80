package sim

import "time"

// ServerConn is the server's end of a connection. It is for the conductor.
type ServerConn struct {
	conn    *Conn
	actor   *Actor
	handler Handler
	closed  bool // no more is sent or received here
	gathers bool
	broken  bool // by the network
}

// receive is the arrival of a segment at the server.
func (s *ServerConn) receive(g *segment) {
	w := s.conn.process.world
	switch {
	case s.closed:
		w.Log(s.conn.logged(g, EventDrop, "nobody reads any more"))
		if !g.fin {
			s.conn.resetClient()
		}
	case g.fin:
		w.Log(s.conn.logged(g, EventClose, ""))
		s.end()
	default:
		w.Log(s.conn.logged(g, EventDeliver, ""))
		s.handler.Receive(g.data, g.task)
	}
}

// owes reports whether the server has not answered yet something that has come.
func (s *ServerConn) owes() bool {
	o, can := s.handler.(Owing)
	return can && !s.closed && o.Owes()
}

// end ends the server's part in the connection.
func (s *ServerConn) end() {
	if !s.closed {
		s.closed = true
		if s.handler != nil { // else it was closed while it was being accepted
			s.handler.Gone()
		}
	}
}

// Broken reports whether the network broke the connection before either end hung up, even if
// that was not known yet at the other.
func (s *ServerConn) Broken() bool { return s.broken }

// ID is the number of the connection, from 1 in the order of dials.
func (s *ServerConn) ID() int { return s.conn.id }

// Client returns the process at the other end.
func (s *ServerConn) Client() *Process { return s.conn.process }

// RemoteAddr is the client's address.
func (s *ServerConn) RemoteAddr() string { return string(s.conn.local) }

// LocalAddr is the address that the client dialed.
func (s *ServerConn) LocalAddr() string { return string(s.conn.remote) }

// Send sends data to the client, departing at the given time or now,
// whichever is later, but after what was sent before. The data
// must not change afterwards. Task is the one whose answer it is, nil if there is none.
func (s *ServerConn) Send(depart time.Duration, data []byte, t *Task) {
	switch {
	case s.closed || len(data) == 0:
	case s.gathers && s.conn.down.joins(depart, data):
	default:
		s.conn.down.send(depart, data, false, t)
	}
}

// Close ends the connection from the server's side, after what was sent.
func (s *ServerConn) Close() {
	if !s.closed {
		s.conn.down.send(0, nil, true, nil)
		s.end()
	}
}
