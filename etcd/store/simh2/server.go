package simh2

import (
	"encoding/binary"
	"math"

	"github.com/lockpick-dev/lockpick/sim"
)

// Server is a server of gRPC as its transport sees it, at one connection. A stream is one
// call of a method. After End, and after Reset, nothing more arrives for it. A task is that of
// the client when it wrote.
type Server interface {
	// Open begins a call of a method ("/package.Service/Method"). The metadata are the
	// header fields of the request, those of HTTP/2 apart, by name in lower case; several
	// values of one name are joined by commas.
	Open(s *Stream, method string, metadata map[string]string, t *sim.Task)
	// Message is a message of the client, without gRPC's prefix. The server may keep it but
	// not change it.
	Message(s *Stream, message []byte, t *sim.Task)
	// HalfClose handles the end of the client's messages: no more will arrive.
	HalfClose(s *Stream, t *sim.Task)
	// Reset ends a call from the client's side, or with its connection.
	Reset(s *Stream)
}

// Conn is the server's end of a connection, a [sim.Handler] and [sim.Owing].
type Conn struct {
	sock    *sim.ServerConn
	server  Server
	in      []byte // of a frame that is not whole yet
	greeted bool
	over    bool
	leaving bool // it opens no more streams
	blocks  *blocks
	streams map[uint32]*Stream
	order   []*Stream // those that are open, in the order of their numbers
	last    uint32    // the largest number of a stream
	taken   uint32    // data that has come since the client's window was last refilled

	window int64 // how much data the client still takes
	first  int64 // how much it takes in a new stream
}

const (
	// defaultWindow is how much each end accepts until it has announced another window.
	defaultWindow = 1<<16 - 1
	// refill is how much may arrive before the client's window is refilled.
	refill = 1 << 30
	// maxMessage is the longest message that a server takes.
	maxMessage = 1 << 27
)

// Serve makes a server serve gRPC at a connection. What it sends in one step leaves as
// one segment. It grants the client windows that no run exhausts, and keeps to those that
// the client grants.
func Serve(s *sim.ServerConn, server Server) *Conn {
	s.Gather()
	c := &Conn{sock: s, server: server, blocks: newBlocks(), streams: map[uint32]*Stream{}, window: defaultWindow, first: defaultWindow}
	const initialWindowSize = 0x4
	settings := binary.BigEndian.AppendUint16(nil, initialWindowSize)
	settings = binary.BigEndian.AppendUint32(settings, math.MaxInt32)
	greeting := appendFrame(nil, kindSettings, 0, 0, settings)
	c.send(appendWindow(greeting, 0, maxStream-defaultWindow), nil)
	return c
}

// Client is the process at the other end.
func (c *Conn) Client() *sim.Process { return c.sock.Client() }

// Refuse fails the run: see [sim.ServerConn.Refuse].
func (c *Conn) Refuse(t *sim.Task, what string) { c.sock.Refuse(t, what) }

// ID is the number of the connection, from 1 in the order of dials.
func (c *Conn) ID() int { return c.sock.ID() }

// Owes reports whether a message is not answered yet.
func (c *Conn) Owes() bool {
	for _, s := range c.order {
		if s.owed > 0 {
			return true
		}
	}
	return false
}

// Gone handles the end of the connection, from either side.
func (c *Conn) Gone() {
	c.over = true
	for len(c.order) > 0 {
		c.drop(c.order[0])
	}
}

// Close ends the connection after what was sent.
func (c *Conn) Close() {
	if !c.over {
		c.sock.Close() // which calls Gone
	}
}

// GoAway asks the client to open no more streams here, as a server does that is about to
// stop. Those that are open continue; later ones are not handled, and the client knows
// that.
func (c *Conn) GoAway(text string) { c.goAway(codeNone, text) }

func (c *Conn) goAway(code uint32, text string) {
	c.leaving = true
	body := binary.BigEndian.AppendUint32(nil, c.last)
	body = binary.BigEndian.AppendUint32(body, code)
	c.send(appendFrame(nil, kindGoAway, 0, 0, append(body, text...)), nil)
}

// send sends frames as the answer to a task.
func (c *Conn) send(frames []byte, t *sim.Task) {
	if !c.over {
		c.sock.Send(0, frames, t)
	}
}

// Receive handles the frames that have arrived whole.
func (c *Conn) Receive(data []byte, t *sim.Task) {
	c.in = append(c.in, data...)
	if err := c.receive(t); err != nil && !c.over {
		c.goAway(err.code, err.text)
		c.Close()
	}
}

func (c *Conn) receive(t *sim.Task) *connError {
	if !c.greeted {
		n := min(len(c.in), len(preface))
		if string(c.in[:n]) != preface[:n] {
			return errorf(codeProtocol, "no preface")
		}
		if n < len(preface) {
			return nil
		}
		c.greeted, c.in = true, c.in[n:]
	}
	for !c.over {
		if len(c.in) >= headerLen && bodyLen(c.in) > maxFrame {
			return errorf(codeFrameSize, "a frame of %d bytes", bodyLen(c.in))
		}
		f, rest, whole := parseFrame(c.in)
		if !whole {
			return nil
		}
		c.in = rest
		if err := c.frame(&f, t); err != nil {
			return err
		}
	}
	return nil
}

// frame handles one frame.
func (c *Conn) frame(f *frame, t *sim.Task) *connError {
	switch {
	case f.kind == kindHeaders, f.kind == kindContinuation, c.blocks.open:
		done, err := c.blocks.add(f)
		if err != nil || !done {
			return asConnError(err)
		}
		return c.open(t)
	case f.stream > c.last || f.kind == kindPushPromise:
		return errorf(codeProtocol, "%v in stream %d", f.kind, f.stream)
	}
	switch f.kind {
	case kindData:
		return c.data(f, t)
	case kindSettings:
		return c.settings(f)
	case kindWindowUpdate:
		return c.grant(f)
	case kindPing:
		if !f.has(flagAck) {
			c.send(appendFrame(nil, kindPing, flagAck, 0, f.body), nil)
		}
	case kindRSTStream:
		if s := c.streams[f.stream]; s != nil {
			c.drop(s)
		}
	}
	return nil // the rest has no meaning here: PRIORITY, GOAWAY, what is unknown
}

// open begins a stream with the block of header fields that is complete.
func (c *Conn) open(t *sim.Task) *connError {
	fields, err := c.blocks.fields()
	if err != nil {
		return asConnError(err)
	}
	number, ends := c.blocks.stream, c.blocks.flags&flagEndStream != 0
	if number%2 == 0 || number <= c.last {
		return errorf(codeProtocol, "HEADERS of stream %d after those of stream %d", number, c.last)
	}
	if c.last = number; c.leaving {
		return nil
	}
	s := &Stream{conn: c, number: number, window: c.first, closed: ends}
	c.streams[number] = s
	c.order = append(c.order, s)
	c.server.Open(s, value(fields, fieldPath), metadataOf(fields), t)
	s.halfClose(t)
	return nil
}

// forget removes a stream that is over.
func (c *Conn) forget(s *Stream) {
	s.over = true
	delete(c.streams, s.number)
	for i, o := range c.order {
		if o == s {
			c.order = append(c.order[:i:i], c.order[i+1:]...)
			return
		}
	}
}

// drop forgets a stream that the client has given up. The server hears of it, unless it had ended
// the call before, and the end waited for the client's window.
func (c *Conn) drop(s *Stream) {
	c.forget(s)
	if !s.ended {
		c.server.Reset(s)
	}
}

// data handles a DATA frame. That of streams which are over counts for the window only. What
// comes after the client's end is an error of the stream.
func (c *Conn) data(f *frame, t *sim.Task) *connError {
	if c.taken += uint32(len(f.body)); c.taken > refill {
		c.send(appendWindow(nil, 0, uint64(c.taken)), nil)
		c.taken = 0
	}
	s := c.streams[f.stream]
	if s == nil {
		return nil
	}
	if s.closed {
		c.send(appendUint32Frame(nil, kindRSTStream, s.number, codeStreamClosed), nil)
		c.drop(s)
		return nil
	}
	body, err := f.unpadded()
	if err != nil {
		return errorf(codeProtocol, "%v", err)
	}
	s.in = append(s.in, body...)
	s.closed = f.has(flagEndStream)
	s.messages(t)
	s.halfClose(t)
	return nil
}
