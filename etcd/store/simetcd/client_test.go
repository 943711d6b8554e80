package simetcd

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// The transport of the tests: frames of a kind, the number of a stream, and data with its
// length.
const (
	frameOpen    = 'o' // the method; with an exclamation mark before it, it needs a leader
	frameMessage = 'm'
	frameHalf    = 'h'
	frameReset   = 'r'
	frameEnd     = 'e' // the code in one byte, and the text
)

const frameHeader = 9

func frame(kind byte, stream uint32, data []byte) []byte {
	b := binary.BigEndian.AppendUint32([]byte{kind}, stream)
	return append(binary.BigEndian.AppendUint32(b, uint32(len(data))), data...)
}

// cut takes the first frame off, if it is whole.
func cut(b []byte) (kind byte, stream uint32, data, rest []byte, ok bool) {
	if len(b) < frameHeader {
		return 0, 0, nil, b, false
	}
	size := frameHeader + int(binary.BigEndian.Uint32(b[5:]))
	if len(b) < size {
		return 0, 0, nil, b, false
	}
	return b[0], binary.BigEndian.Uint32(b[1:]), b[frameHeader:size], b[size:], true
}

// plainConn is the server's side.
type plainConn struct {
	sock   *sim.ServerConn
	server Server
	in     []byte
	open   map[uint32]*plainStream
	order  []uint32
}

type plainStream struct {
	conn   *plainConn
	number uint32
}

func plain(s *sim.ServerConn, server Server) sim.Handler {
	return &plainConn{sock: s, server: server, open: map[uint32]*plainStream{}}
}

func (c *plainConn) Receive(data []byte, t *sim.Task) {
	c.in = append(c.in, data...)
	for {
		kind, number, data, rest, ok := cut(c.in)
		if !ok {
			return
		}
		c.in = rest
		s := c.open[number]
		switch kind {
		case frameOpen:
			s = &plainStream{c, number}
			c.open[number] = s
			c.order = append(c.order, number)
			metadata := map[string]string{}
			if data[0] == '!' {
				data, metadata = data[1:], map[string]string{hasLeader: "true"}
			}
			c.server.Open(s, string(data), metadata, t)
		case frameMessage:
			c.server.Message(s, data, t)
		case frameHalf:
			c.server.HalfClose(s, t)
		case frameReset:
			c.server.Reset(s)
		}
	}
}

func (c *plainConn) Gone() {
	for _, number := range c.order {
		c.server.Reset(c.open[number])
	}
}

func (s *plainStream) Send(message []byte, t *sim.Task) {
	s.conn.sock.Send(0, frame(frameMessage, s.number, message), t)
}

func (s *plainStream) End(code int, text string, t *sim.Task) {
	s.conn.sock.Send(0, frame(frameEnd, s.number, append([]byte{byte(code)}, text...)), t)
}

func (s *plainStream) Refuse(t *sim.Task, what string) { s.conn.sock.Refuse(t, what) }

func (s *plainStream) Origin() model.Origin {
	return model.Origin{Client: s.conn.sock.Client().Name(), Conn: s.conn.sock.ID()}
}

// failure is how a call ended, if not well.
type failure struct {
	code int
	text string
}

func (f *failure) Error() string { return fmt.Sprintf("%s (%d)", f.text, f.code) }

// client is a client in a world, with one connection.
type client struct {
	process *sim.Process
	conn    net.Conn
	in      []byte
	streams uint32
	came    map[uint32][]object // messages that nobody has taken
	ended   map[uint32]*failure
	apis    map[uint32]api
	broken  error
}

// dial connects a process to a server.
func dial(p *sim.Process, address string) (*client, error) {
	conn, err := p.DialContext(context.Background(), "tcp", address, time.Minute)
	if err != nil {
		return nil, err
	}
	return &client{process: p, conn: conn, came: map[uint32][]object{}, ended: map[uint32]*failure{}, apis: map[uint32]api{}}, nil
}

// sleep lets the client wait. What the conductor has done until then comes before what the
// client does next, which the race detector does not know of time.Sleep.
func (c *client) sleep(d time.Duration) { c.process.Step("sleep", d) }

// until lets the client wait for a moment of the run.
func (c *client) until(w *sim.World, d time.Duration) { c.sleep(d - w.Now()) }

// begin begins a call with some messages.
func (c *client) begin(name string, half bool, messages ...object) uint32 {
	return c.beginAs(apis[name].grpc, name, half, messages...)
}

func (c *client) beginAs(path, name string, half bool, messages ...object) uint32 {
	c.streams++
	c.apis[c.streams] = apis[name]
	b := frame(frameOpen, c.streams, []byte(path))
	for _, m := range messages {
		b = append(b, frame(frameMessage, c.streams, apis[name].ask.encode(m))...)
	}
	if half {
		b = append(b, frame(frameHalf, c.streams, nil)...)
	}
	c.write(b)
	return c.streams
}

func (c *client) write(b []byte) {
	if _, err := c.conn.Write(b); err != nil {
		c.broken = err
	}
}

// receive waits for a segment, and notes what is in it. It reports false if none came in time.
func (c *client) receive(patience time.Duration) bool {
	_ = c.conn.SetReadDeadline(time.Now().Add(patience))
	b := make([]byte, 1<<16)
	n, err := c.conn.Read(b)
	c.in = append(c.in, b[:n]...)
	for {
		kind, number, data, rest, ok := cut(c.in)
		if !ok {
			break
		}
		c.in = rest
		switch kind {
		case frameMessage:
			c.came[number] = append(c.came[number], c.apis[number].answer.decode(data))
		case frameEnd:
			c.ended[number] = &failure{int(data[0]), string(data[1:])}
		}
	}
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		if errors.Is(err, io.EOF) {
			err = errors.New("closed")
		}
		c.broken = err
	}
	return err == nil
}

// take are the messages of a call that have come.
func (c *client) take(stream uint32) []object {
	list := c.came[stream]
	delete(c.came, stream)
	return list
}

// call makes a call, and waits for its end.
func (c *client) call(name string, messages ...object) ([]object, error) {
	stream := c.begin(name, true, messages...)
	for c.ended[stream] == nil {
		if !c.receive(time.Minute) {
			if c.broken == nil {
				c.broken = errors.New("no answer")
			}
			return nil, c.broken
		}
	}
	if f := c.ended[stream]; f.code != 0 {
		return c.take(stream), f
	}
	return c.take(stream), nil
}

// unary makes a call that has one answer.
func (c *client) unary(name string, m object) (object, error) {
	list, err := c.call(name, m)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}
