package simhttp

import "github.com/lockpick-dev/lockpick/sim"

// Conn is the server's end of a connection, a [sim.Handler] and [sim.Owing].
type Conn struct {
	sock   *sim.ServerConn
	do     func(func())
	handle func(*Exchange)

	coming    int       // segments that a server which hangs has not read
	in        []byte    // what no exchange has taken
	task      *sim.Task // of the last of it
	continued bool      // the client was asked to send the body
	open      *Exchange // the one that is not over, or nil
	advancing bool
	over      bool
}

// Serve makes a server speak HTTP at a connection. Do calls a function, at once or, while the
// server hangs, later: [server.Host.Do], or nil for at once. Handle gets each exchange.
func Serve(s *sim.ServerConn, do func(func()), handle func(*Exchange)) *Conn {
	if do == nil {
		do = func(f func()) { f() }
	}
	s.Gather()
	return &Conn{sock: s, do: do, handle: handle}
}

// Receive handles the requests that have come whole.
func (c *Conn) Receive(data []byte, t *sim.Task) {
	c.coming++
	c.do(func() {
		c.coming--
		c.in, c.task = append(c.in, data...), t
		c.advance()
	})
}

// Gone handles the end of the connection, from either side.
func (c *Conn) Gone() { c.do(c.end) }

// Owes reports whether a request is not answered yet. One that is answered by a stream is.
func (c *Conn) Owes() bool {
	return !c.over && (c.coming > 0 || len(c.in) > 0 || c.open != nil && !c.open.streams)
}

// Close ends the connection after what was sent.
func (c *Conn) Close() {
	if !c.over {
		c.end()
		c.sock.Close()
	}
}

// end ends the exchange that is open.
func (c *Conn) end() {
	x := c.open
	c.over, c.open, c.in = true, nil, nil
	if x != nil && x.Gone != nil {
		x.Gone()
	}
}

// advance begins the exchanges that can begin.
func (c *Conn) advance() {
	if c.advancing {
		return // an exchange has ended while its handler runs
	}
	c.advancing = true
	defer func() { c.advancing = false }()
	for !c.over && c.open == nil && len(c.in) > 0 {
		r, body, n, err := readRequest(c.in)
		if r != nil && n == 0 && err == nil && r.Header.Get("Expect") != "" && !c.continued {
			c.continued = true
			c.send([]byte("HTTP/1.1 100 Continue\r\n\r\n"), c.task)
		}
		if n == 0 && err == nil {
			return // more has to come
		}
		x := &Exchange{Request: r, Body: body, Task: c.task, conn: c}
		c.in, c.open, c.continued = c.in[n:], x, false
		if err != nil {
			x.refuse(err)
			return
		}
		c.handle(x)
	}
}

func (c *Conn) send(data []byte, t *sim.Task) {
	if !c.over {
		c.sock.Send(0, data, t)
	}
}
