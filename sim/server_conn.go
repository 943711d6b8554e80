package sim

import "time"

// ServerConn is the server's end of a connection. Only the conductor may call its
// methods.
type ServerConn struct {
	conn    *Conn
	actor   *Actor
	handler Handler
	closed  bool // no more is sent or received here
	gathers bool
	broken  bool // by the network
	reset   bool // by the network, or since the client has crashed
}

// receive is the arrival of a segment at the server.
func (s *ServerConn) receive(g *segment) {
	w := s.conn.process.world
	switch {
	case s.closed:
		w.madeBy(w.Log(s.conn.logged(g, EventDrop, "nobody reads any more")), g.code)
		if !g.fin {
			s.conn.resetClient()
		}
	case g.fin:
		w.Log(s.conn.logged(g, EventClose, ""))
		s.end()
	default:
		w.madeBy(w.Log(s.conn.logged(g, EventDeliver, "")), g.code)
		w.Network().received(s.actor)
		s.handler.Receive(g.data, g.task)
	}
}

// owes reports whether the server has received a request that it has not answered yet.
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

// Broken reports whether the network broke the connection before either end hung up.
// The ends may not know it yet.
func (s *ServerConn) Broken() bool { return s.broken }

// ID returns the number of the connection, from 1 in the order of dials.
func (s *ServerConn) ID() int { return s.conn.id }

// Client returns the process at the other end.
func (s *ServerConn) Client() *Process { return s.conn.process }

// Send sends data to the client. The segment leaves at the given time or now, whichever
// is later, and after those sent before. The data must not change afterwards. T is the
// task that the data answers, nil if there is none.
func (s *ServerConn) Send(depart time.Duration, data []byte, t *Task) {
	switch {
	case s.closed || len(data) == 0:
	case s.gathers && s.conn.down.joins(depart, data):
	default:
		s.conn.down.send(depart, data, false, t)
	}
}

// Close ends the connection from the server's side. Data sent before still arrives.
func (s *ServerConn) Close() {
	if !s.closed {
		s.conn.down.send(0, nil, true, nil)
		s.end()
	}
}
