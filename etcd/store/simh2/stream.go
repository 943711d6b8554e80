package simh2

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http2/hpack"

	"github.com/lockpick-dev/lockpick/sim"
)

// Stream is one call of a method. Its methods are for the conductor.
type Stream struct {
	conn   *Conn
	number uint32
	in     []byte // of a message that is not whole yet
	owed   int    // messages that are not answered
	closed bool   // by the client: no more messages come
	begun  bool   // header fields were sent
	ended  bool   // End was called
	over   bool   // nothing more is sent or received

	window  int64  // how much data the client still takes
	out     []byte // that waits for the windows
	trailer []byte // that follows; nil before the end
	task    *sim.Task
}

// Conn is the connection that the stream is on.
func (s *Stream) Conn() *Conn { return s.conn }

// Over reports whether the call has ended, by End or by the client.
func (s *Stream) Over() bool { return s.over || s.ended }

// metadataOf are the header fields that are not HTTP/2's own.
func metadataOf(fields []hpack.HeaderField) map[string]string {
	m := make(map[string]string, len(fields))
	for _, f := range fields {
		if f.IsPseudo() {
			continue
		}
		if before, more := m[f.Name]; more {
			f.Value = before + "," + f.Value
		}
		m[f.Name] = f.Value
	}
	return m
}

// messages hands over the messages that have arrived whole.
func (s *Stream) messages(t *sim.Task) {
	for !s.Over() {
		n, whole := messageLen(s.in)
		switch {
		case n > maxMessage:
			s.End(resourceExhausted, "grpc: received message larger than max ("+strconv.Itoa(n)+" vs. "+strconv.Itoa(maxMessage)+")", t)
			return
		case !whole:
			return
		case s.in[0] != 0:
			s.conn.Refuse(t, "a simulated server does not support compressed messages of gRPC")
			s.End(unimplemented, "grpc: compressed messages are not supported", t)
			return
		}
		message := s.in[prefixLen:n:n]
		s.in = s.in[n:]
		s.owed++
		s.conn.server.Message(s, message, t)
	}
}

// Codes of gRPC that the transport itself answers with.
const (
	resourceExhausted = 8
	unimplemented     = 12
)

// halfClose reports the end of the messages to the server, if they have ended.
func (s *Stream) halfClose(t *sim.Task) {
	if s.closed && !s.Over() {
		s.conn.server.HalfClose(s, t)
	}
}

// Send sends a message, as the answer to a task or nil. After the end it does nothing.
func (s *Stream) Send(message []byte, t *sim.Task) {
	if s.Over() {
		return
	}
	s.task = t
	if !s.begun {
		s.begun = true
		s.conn.send(appendHeaders(nil, s.number, 0, responseFields), t)
	}
	s.out = append(s.out, 0)
	s.out = binary.BigEndian.AppendUint32(s.out, uint32(len(message)))
	s.out = append(s.out, message...)
	s.owed = max(s.owed-1, 0)
	s.flush()
}

// responseFields are the header fields of every response.
var responseFields = appendFields(nil, []hpack.HeaderField{{Name: ":status", Value: "200"}, {Name: "content-type", Value: "application/grpc"}})

// End ends the call with a status: a code of gRPC, 0 for success, and a text for people.
// After the end it does nothing.
func (s *Stream) End(code int, text string, t *sim.Task) {
	if s.Over() {
		return
	}
	s.task = t
	if !s.begun {
		s.trailer = slices.Clone(responseFields)
	}
	s.trailer = appendFields(s.trailer, []hpack.HeaderField{{Name: "grpc-status", Value: strconv.Itoa(code)}, {Name: "grpc-message", Value: percent(text)}})
	s.ended, s.owed = true, 0
	s.flush()
}

// percent encodes a status message as gRPC does.
func percent(message string) string {
	var b strings.Builder
	for i := range len(message) {
		if c := message[i]; c < ' ' || c > '~' || c == '%' {
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&0xf]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// flush sends as much as the client's windows take, and then the end.
func (s *Stream) flush() {
	c := s.conn
	for len(s.out) > 0 {
		n := min(int64(len(s.out)), s.window, c.window, maxFrame)
		if n <= 0 {
			return
		}
		c.send(appendFrame(nil, kindData, 0, s.number, s.out[:n]), s.task)
		s.out = s.out[n:]
		s.window -= n
		c.window -= n
	}
	if !s.ended || s.over {
		return
	}
	c.send(appendHeaders(nil, s.number, flagEndStream, s.trailer), s.task)
	if !s.closed { // the client's half as well, as servers of gRPC do
		c.send(appendUint32Frame(nil, kindRSTStream, s.number, codeNone), s.task)
	}
	c.forget(s)
}
