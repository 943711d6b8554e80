// Package resource is the resource that a lock protects: a register on a separate server
// that never fails, accessed over the network.
//
// Every access, reads included, carries the fencing token of the lease if it has one. The
// register remembers the highest token and refuses lower ones, atomically with the access.
// If only writes were checked, a reader that was paused before its write could still lose
// an update.
package resource

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// ErrRefused is the answer to an access whose token is too low.
var ErrRefused = errors.New("resource: the token is lower than the highest one seen")

const address = "10.0.2.1:9000"

// Register is the server. The conductor alone uses it.
type Register struct {
	world   *sim.World
	actor   *sim.Actor
	observe func(model.Observation)
	value   int64
	highest int64
}

// New adds the register, an actor named "resource", to the world. Every access
// goes to observe.
func New(w *sim.World, observe func(model.Observation)) *Register {
	r := &Register{world: w, actor: w.NewActor("resource"), observe: observe}
	r.actor.Passive()
	w.Network().Listen(address, r.actor, func(s *sim.ServerConn) sim.Handler { return &session{register: r, conn: s} })
	return r
}

// session is one client's connection. Requests and answers are lines:
// "read", "write 7", each with a token behind it if there is one; "ok 7",
// "refused 3".
type session struct {
	register *Register
	conn     *sim.ServerConn
	in       []byte
}

// Gone ends the session; there is nothing to clean up.
func (*session) Gone() {}

// Receive executes the requests that have arrived whole.
func (s *session) Receive(data []byte, t *sim.Task) {
	s.in = append(s.in, data...)
	for {
		line, rest, found := bytes.Cut(s.in, []byte("\n"))
		if !found {
			return
		}
		s.in = rest
		s.conn.Send(0, []byte(s.access(strings.Fields(string(line)), t)+"\n"), t)
	}
}

// access executes one request.
func (s *session) access(request []string, t *sim.Task) string {
	r := s.register
	o := model.Observation{Kind: model.ResourceRead, By: model.Origin{Client: s.conn.Client().Name(), Conn: s.conn.ID()}}
	if t != nil {
		o.By.Op = t.ID
	}
	value, token := r.value, ""
	switch {
	case len(request) >= 1 && request[0] == "read":
		token = strings.Join(request[1:], "")
	case len(request) >= 2 && request[0] == "write":
		o.Kind = model.ResourceWritten
		v, err := strconv.ParseInt(request[1], 10, 64)
		if err != nil {
			return "error " + err.Error()
		}
		value, token = v, strings.Join(request[2:], "")
	default:
		return "error unknown request"
	}
	if token != "" {
		n, err := strconv.ParseInt(token, 10, 64)
		if err != nil {
			return "error " + err.Error()
		}
		o.Fenced, o.Token = true, n
		if n < r.highest {
			o.Kind = model.ResourceRefused
			r.note(o)
			return fmt.Sprintf("refused %d", r.highest)
		}
		r.highest = n
	}
	r.value = value
	r.note(o)
	return fmt.Sprintf("ok %d", value)
}

func (r *Register) note(o model.Observation) {
	e := r.world.Log(sim.Event{Kind: sim.EventNote, Actor: r.actor.Name(), Peer: o.By.Client, Conn: o.By.Conn, Detail: string(o.Kind)})
	o.Stamp, o.Node, o.Number = model.Stamp{Seq: e.Seq, At: e.At}, r.actor.Name(), r.value
	r.observe(o)
}

// Client is a process's access to the register. One goroutine uses it at a
// time; any may close it.
type Client struct {
	process *sim.Process
	mu      sync.Mutex // held where conn changes, and by Close to look at it
	conn    net.Conn
	in      *bufio.Reader
}

// NewClient returns a client that connects when it is first used.
func NewClient(p *sim.Process) *Client { return &Client{process: p} }

// Read returns the register's value. Token is nil for a lock without tokens.
// The end of ctx is noticed only while it connects: the register always
// answers.
// After any error but ErrRefused the access may still take place.
func (c *Client) Read(ctx context.Context, token *int64) (int64, error) {
	return c.call(ctx, "read", token)
}

// Write sets the register's value. Errors are as for Read.
func (c *Client) Write(ctx context.Context, value int64, token *int64) error {
	_, err := c.call(ctx, "write "+strconv.FormatInt(value, 10), token)
	return err
}

// Close closes the connection.
func (c *Client) Close() error {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn == nil {
		return nil
	}
	return conn.Close()
}

func (c *Client) use(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn = conn
}

func (c *Client) call(ctx context.Context, request string, token *int64) (int64, error) {
	if token != nil {
		request += " " + strconv.FormatInt(*token, 10)
	}
	if c.conn == nil {
		conn, err := c.process.DialContext(ctx, "tcp", address, 0)
		if err != nil {
			return 0, err
		}
		c.use(conn)
		c.in = bufio.NewReaderSize(conn, 64)
	}
	answer, err := c.roundTrip(request)
	if err != nil {
		_ = c.conn.Close()
		c.use(nil)
		return 0, err
	}
	status, number, _ := strings.Cut(strings.TrimSpace(answer), " ")
	switch status {
	case "ok":
		return strconv.ParseInt(number, 10, 64)
	case "refused":
		return 0, ErrRefused
	}
	return 0, fmt.Errorf("resource: unexpected answer %q to the request %q", answer, request)
}

func (c *Client) roundTrip(request string) (string, error) {
	if _, err := c.conn.Write([]byte(request + "\n")); err != nil {
		return "", err
	}
	return c.in.ReadString('\n')
}
