package sims3

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simhttp"
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

// String returns the answer.
func (f Failure) String() string {
	switch f {
	case SlowDown:
		return "503 SlowDown"
	case Conflict:
		return "409 ConditionalRequestConflict"
	}
	return "500 InternalError"
}

// Fail makes the next request of a connection fail.
func (s *Server) Fail(c *sim.Conn, f Failure) { s.failing[c.ID()] = f }

// Requests reports whether a request is about to arrive at the server, which does not hang.
func (s *Server) Requests(e sim.Upcoming) bool {
	return e.Actor == s.Actor && e.Conn() != nil && !s.Hangs() && simhttp.Arriving(e.Data()) != nil
}

// concurrent is how long before a request the deletion of its object counts as concurrent with it.
const concurrent = 100 * time.Millisecond

// Conflicts reports whether a conditional PUT is about to arrive that S3 may refuse, since the object has just been
// deleted.
func (s *Server) Conflicts(e sim.Upcoming) bool {
	if !s.Requests(e) {
		return false
	}
	r := simhttp.Arriving(e.Data())
	q, _ := read(r, nil)
	if q == nil || q.operation != putObject || r.Header.Get("If-None-Match") == "" {
		return false
	}
	at, found := s.deleted[q.key]
	return found && s.world.Now()-at <= concurrent
}
