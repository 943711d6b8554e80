package simhttp

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Exchange is a request and its answer.
type Exchange struct {
	Request *http.Request
	Body    []byte    // of the request
	Task    *sim.Task // of the client, when it sent the end of the request; nil if there is none
	// Gone, which the handler may set, is called when the connection has ended before the answer.
	Gone func()

	conn    *Conn
	streams bool
	plain   bool // the answer's body is not chunked, and ends with the connection
	closes  bool // the connection ends with the answer
}

// Conn returns the connection.
func (x *Exchange) Conn() *Conn { return x.conn }

// By returns the origin of what the request does.
func (x *Exchange) By() model.Origin {
	o := model.Origin{Client: x.conn.sock.Client().Name(), Conn: x.conn.sock.ID()}
	if x.Task != nil {
		o.Op = x.Task.ID
	}
	return o
}

// Over reports whether the answer is complete, or nobody can get it any more.
func (x *Exchange) Over() bool { return x.conn.open != x }

// Refuse fails the run, because the server does not support the request: see
// [sim.ServerConn.Refuse].
func (x *Exchange) Refuse(what string) { x.conn.sock.Refuse(x.Task, what) }

// Respond answers the request. An answer to an exchange that is over is dropped. The header, which
// may be nil, is not changed.
func (x *Exchange) Respond(status int, header http.Header, body []byte) {
	if x.Over() {
		return
	}
	length := strconv.Itoa(len(body))
	if status == http.StatusNoContent || status == http.StatusNotModified {
		length, body = "", nil
	}
	if x.Request != nil && x.Request.Method == http.MethodHead {
		body = nil
	}
	x.conn.send(append(x.head(status, header, "Content-Length", length), body...), x.Task)
	x.finish()
}

// Stream begins an answer whose body is sent in pieces. A request of method HEAD cannot have one.
func (x *Exchange) Stream(status int, header http.Header) {
	if x.Over() || x.streams {
		return
	}
	x.streams, x.plain = true, !x.Request.ProtoAtLeast(1, 1)
	coding := "chunked"
	if x.plain {
		coding = ""
	}
	x.conn.send(x.head(status, header, "Transfer-Encoding", coding), x.Task)
}

// Write sends a piece of the body of an answer that streams.
func (x *Exchange) Write(piece []byte) {
	if x.Over() || !x.streams || len(piece) == 0 {
		return
	}
	if !x.plain {
		piece = fmt.Appendf(nil, "%x\r\n%s\r\n", len(piece), piece)
	}
	x.conn.send(bytes.Clone(piece), x.Task)
}

// End ends an answer that streams.
func (x *Exchange) End() {
	if x.Over() || !x.streams {
		return
	}
	if !x.plain {
		x.conn.send([]byte("0\r\n\r\n"), x.Task)
	}
	x.finish()
}

// Hangup ends the connection without an answer, or in the middle of one.
func (x *Exchange) Hangup() {
	if !x.Over() {
		x.conn.open = nil
		x.conn.Close()
	}
}

// head returns the beginning of the answer, with one more field if its value is not empty.
func (x *Exchange) head(status int, header http.Header, field, value string) []byte {
	h := header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if value != "" {
		h.Set(field, value)
	}
	if x.closes = x.Request == nil || x.Request.Close || !x.Request.ProtoAtLeast(1, 1) || h.Get("Connection") == "close"; x.closes {
		h.Set("Connection", "close")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	_ = h.Write(&b) // a buffer takes all
	b.WriteString("\r\n")
	return b.Bytes()
}

// finish ends the exchange: the answer is complete.
func (x *Exchange) finish() {
	x.conn.open = nil
	if x.closes {
		x.conn.Close()
		return
	}
	x.conn.advance()
}

// refuse answers a request that cannot be read, and ends the connection.
func (x *Exchange) refuse(err error) {
	status := http.StatusBadRequest
	if r := (*refusal)(nil); errors.As(err, &r) {
		status = r.status
	}
	x.Respond(status, http.Header{"Connection": {"close"}, "Content-Type": {"text/plain; charset=utf-8"}}, []byte(err.Error()))
}
