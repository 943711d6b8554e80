package sims3

import (
	"bufio"
	"bytes"
	"net/http"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// Failure is how S3 fails a request.
type Failure int

// The failures. SlowDown and InternalError answer a request that is not executed, and InternalErrorDone one that is.
// Conflict refuses a conditional PUT at the time of a deletion of the object.
const (
	SlowDown Failure = 1 + iota
	InternalError
	InternalErrorDone
	Conflict
)

// Fail makes the next request of a connection fail.
func (s *Server) Fail(c *sim.Conn, f Failure) { s.failing[c.ID()] = f }

// Requests reports whether a request is about to arrive at the server, which does not hang.
func (s *Server) Requests(e sim.Upcoming) bool {
	return e.Actor == s.Actor && e.Conn() != nil && !s.Hangs() && arriving(e.Data()) != nil
}

// concurrent is how long before a request the deletion of its object counts as concurrent with it.
const concurrent = 100 * time.Millisecond

// Conflicts reports whether a conditional PUT is about to arrive that S3 may refuse, since the object has just been
// deleted.
func (s *Server) Conflicts(e sim.Upcoming) bool {
	if !s.Requests(e) {
		return false
	}
	r := arriving(e.Data())
	q, _ := read(r, nil)
	if q == nil || q.operation != putObject || r.Header.Get("If-None-Match") == "" {
		return false
	}
	at, found := s.deleted[q.key]
	return found && s.world.Now()-at <= concurrent
}

// arriving returns the request whose header a segment has, or nil.
func arriving(data []byte) *http.Request {
	if !bytes.Contains(data, []byte("\r\n\r\n")) {
		return nil
	}
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(data)))
	if err != nil {
		return nil
	}
	return r
}
