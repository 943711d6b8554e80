package payload

import "github.com/lockpick-dev/lockpick/sim"

// Segments describes the segments of a run. It reads each connection once, however many of its
// segments are asked for. It is not safe for concurrent use.
type Segments struct {
	conns map[int][]*sim.Event // those with a payload, by connection, in their order
	read  map[readerKey]*reading
}

// readerKey is a connection of a run, read as one to a server of a kind.
type readerKey struct {
	server string
	number int
}

// reading is the progress of reading a connection.
type reading struct {
	reader   Reader
	rest     []*sim.Event
	messages map[int64]Message // by the numbers of events
}

// NewSegments returns Segments for the events of a run, in order. They must not change
// afterwards.
func NewSegments(events []sim.Event) *Segments {
	s := &Segments{conns: map[int][]*sim.Event{}, read: map[readerKey]*reading{}}
	for i := range events {
		if e := &events[i]; len(e.Payload) > 0 {
			s.conns[e.Conn] = append(s.conns[e.Conn], e)
		}
	}
	return s
}

// Of describes a segment to or from a server of the kind. If the kind has no reader, the segment
// is shown as text.
func (s *Segments) Of(server string, segment *sim.Event) Message {
	open := readers[server]
	if open == nil {
		return Message{Text: Plain(segment.Payload)}
	}
	r := s.read[readerKey{server, segment.Conn}]
	if r == nil {
		r = &reading{reader: open(), rest: s.conns[segment.Conn], messages: map[int64]Message{}}
		s.read[readerKey{server, segment.Conn}] = r
	}
	for len(r.rest) > 0 && r.rest[0].Seq <= segment.Seq {
		r.messages[r.rest[0].Seq] = r.reader(r.rest[0])
		r.rest = r.rest[1:]
	}
	if m, known := r.messages[segment.Seq]; known {
		return m
	}
	return open()(segment) // the segment is empty, or not of the run
}

// Of describes one segment of a run with these events: see [Segments.Of].
func Of(server string, events []sim.Event, segment *sim.Event) Message {
	return NewSegments(events).Of(server, segment)
}
