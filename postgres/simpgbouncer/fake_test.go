package simpgbouncer_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/simpostgres"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// fakeNode is a server that knows a few statements.
type fakeNode struct {
	*server.Host
	conns   []*fakeConn
	started int
	by      []model.Origin // of each query, in order
}

func newFakeNode(w *sim.World, name, address string) *fakeNode {
	n := &fakeNode{}
	n.Host = server.NewHost(w, name, address, func(s *sim.ServerConn) sim.Handler { return n.Connect(ofProcess{s}) })
	return n
}

// ofProcess is the transport of a connection that a process has dialed.
type ofProcess struct{ *sim.ServerConn }

func (o ofProcess) Origin(*sim.Task) model.Origin { return model.Origin{Client: o.Client().Name()} }
func (ofProcess) Lose()                           {}

func (n *fakeNode) Machine() *server.Host { return n.Host }

func (n *fakeNode) Connect(t simpostgres.Transport) sim.Handler {
	c := &fakeConn{node: n, Transport: t}
	n.conns = append(n.conns, c)
	return c
}

// crash ends the process.
func (n *fakeNode) crash(w *sim.World) {
	n.Host.Crash(func(model.Observation) {})
	for _, c := range n.conns {
		c.Lose()
	}
	n.conns = nil
	w.Network().Crash(n.Actor)
}

// fakeConn is a session.
type fakeConn struct {
	simpostgres.Transport
	node   *fakeNode
	in     []byte
	task   *sim.Task
	pid    int
	app    string
	status byte
	sleeps bool
}

func (c *fakeConn) Gone() {
	c.node.conns = slices.DeleteFunc(c.node.conns, func(o *fakeConn) bool { return o == c })
}

func (c *fakeConn) Receive(data []byte, t *sim.Task) {
	c.in, c.task = append(c.in, data...), t
	for len(c.in) >= 5 {
		n, kind := int(binary.BigEndian.Uint32(c.in)), byte(0)
		if c.in[0] != 0 {
			kind, n = c.in[0], int(binary.BigEndian.Uint32(c.in[1:]))+1
		}
		m := c.in[:n]
		c.in = c.in[n:]
		switch kind {
		case 0:
			c.startup(m[4:])
		case 'Q':
			c.node.by = append(c.node.by, c.Origin(c.task))
			for text := range strings.SplitSeq(string(m[5:n-1]), ";") {
				c.query(strings.TrimSpace(text))
			}
			if !c.sleeps {
				c.send(&pgproto3.ReadyForQuery{TxStatus: c.status})
			}
		case 'X':
			c.Close()
		}
	}
}

func (c *fakeConn) startup(body []byte) {
	if binary.BigEndian.Uint32(body) == 80877102 {
		for _, o := range c.node.conns {
			if o.sleeps && o.pid == int(binary.BigEndian.Uint32(body[4:])) {
				o.wake()
				o.fail("ERROR", "57014", "canceling statement due to user request")
				o.send(&pgproto3.ReadyForQuery{TxStatus: o.status})
			}
		}
		c.Close()
		return
	}
	if strings.Contains(string(body), "nowhere") {
		c.fail("FATAL", "3D000", `database "nowhere" does not exist`)
		c.Close()
		return
	}
	c.node.started++
	c.pid, c.status = 1000+c.node.started, 'I'
	c.send(&pgproto3.AuthenticationOk{}, &pgproto3.ParameterStatus{Name: "application_name"}, &pgproto3.ParameterStatus{Name: "server_version", Value: "15"},
		&pgproto3.BackendKeyData{ProcessID: uint32(c.pid), SecretKey: []byte{0, 0, 0, 1}}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
}

func (c *fakeConn) send(messages ...pgproto3.BackendMessage) {
	var out []byte
	for _, m := range messages {
		out, _ = m.Encode(out)
	}
	c.Send(0, out, c.task)
}

func (c *fakeConn) fail(severity, code, text string) {
	if c.status == 'T' {
		c.status = 'E'
	}
	c.send(&pgproto3.ErrorResponse{Severity: severity, Code: code, Message: text})
}

// wake ends a sleep. What it has answered so far is sent with its error.
func (c *fakeConn) wake() {
	if c.sleeps {
		c.sleeps = false
		c.send(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("pg_sleep")}}})
	}
}

func (c *fakeConn) row(column, value, tag string) {
	c.send(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte(column)}}},
		&pgproto3.DataRow{Values: [][]byte{[]byte(value)}}, &pgproto3.CommandComplete{CommandTag: []byte(tag)})
}

func (c *fakeConn) query(text string) {
	word, rest, _ := strings.Cut(text, " ")
	done := func(tag string) { c.send(&pgproto3.CommandComplete{CommandTag: []byte(tag)}) }
	switch {
	case word == "ROLLBACK" || word == "COMMIT":
		c.status = 'I'
		done(word)
	case c.status == 'E':
		c.fail("ERROR", "25P02", "current transaction is aborted, commands ignored until end of transaction block")
	case text == "":
		c.send(&pgproto3.EmptyQueryResponse{})
	case word == "BEGIN":
		c.status = 'T'
		done(word)
	case text == "SELECT 1/0":
		c.fail("ERROR", "22012", "division by zero")
	case text == "SELECT pg_backend_pid()":
		c.row("pg_backend_pid", fmt.Sprint(c.pid), "SELECT 1")
	case strings.HasPrefix(rest, "pg_sleep"):
		c.sleeps = true
	case strings.HasPrefix(rest, "pg_terminate_backend("):
		for _, o := range slices.Clone(c.node.conns) {
			if strings.Contains(rest, fmt.Sprint(o.pid)) {
				o.wake()
				o.fail("FATAL", "57P01", "terminating connection due to administrator command")
				o.Close()
			}
		}
		c.row("pg_terminate_backend", "t", "SELECT 1")
	case word == "SHOW":
		c.row("application_name", c.app, "SHOW")
	case strings.EqualFold(word, "SELECT"):
		c.row("?column?", rest, "SELECT 1")
	case word == "SET":
		name, value, _ := strings.Cut(rest, "=")
		done(word)
		if name == "application_name" {
			c.app = strings.Trim(value, "'")
			c.send(&pgproto3.ParameterStatus{Name: name, Value: c.app})
		}
	case text == "DISCARD ALL":
		c.app = ""
		done(text)
		c.send(&pgproto3.ParameterStatus{Name: "application_name"})
	default:
		c.fail("ERROR", "42601", fmt.Sprintf("syntax error at or near %q", word))
	}
}
