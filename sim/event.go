package sim

import "time"

// EventKind is the kind of an event of the log.
type EventKind string

// The kinds of events.
const (
	EventDial    EventKind = "dial"    // a connection attempt reached the other end, which accepted
	EventRefused EventKind = "refused" // a connection attempt was refused, or the answer to it was
	EventDeliver EventKind = "deliver" // a segment arrived: Actor received from Peer
	EventDrop    EventKind = "drop"    // a segment was lost, or arrived where nobody reads any more
	EventClose   EventKind = "close"   // the end of the peer's stream arrived
	EventReset   EventKind = "reset"   // the connection was reset
	EventTimeout EventKind = "timeout" // a read deadline or dial timeout ran out
	EventTimer   EventKind = "timer"   // a timer of the process's Clock fired
	EventStep    EventKind = "step"    // a workload went on after a step
	EventMark    EventKind = "mark"    // a workload called or returned
	EventWork    EventKind = "work"    // a node executed what waited in its queue, or expired a key
	EventNote    EventKind = "note"    // something was observed: of a key, a node, the resource
	EventInfo    EventKind = "info"    // something was observed that no verdict rests on: of a session, a watch
	EventFault   EventKind = "fault"   // a fault struck or ended
)

// UnreadKept is the detail of a reset after which the client can still read data
// that has arrived: see [Unread].
const UnreadKept = "what has arrived can still be read"

// ReadsFirst is the detail of a step at the end of a pause: a goroutine goes on to read
// before one that waits to write. See [ReadFirst].
const ReadsFirst = "reads before it writes"

// Event is one entry of a run's log.
type Event struct {
	// Seq numbers events from 1. It is the global event counter by which
	// histories are ordered.
	Seq int64 `json:"seq"`
	// At is the virtual time since the run's start, in whole windows. Seq orders
	// events with the same time.
	At   time.Duration `json:"atNanos"`
	Kind EventKind     `json:"kind"`
	// Actor is the target; Peer the other end of a connection.
	Actor string `json:"actor"`
	Peer  string `json:"peer,omitempty"`
	// Conn is the number of the connection, from 1 in the order of dials.
	Conn int `json:"conn,omitempty"`
	// Sent is when a delivered or dropped segment left its sender.
	Sent time.Duration `json:"sentNanos,omitempty"`
	// Late is set if the network held the segment back beyond its ordinary
	// latency (a Delay decision).
	Late bool `json:"late,omitempty"`
	// Detail describes the event for the reader.
	Detail string `json:"detail,omitempty"`
	// Decision is the identity of the decision ([Decision.ID]) by which a fault
	// struck, if the event is that fault, a part of it, or its end. It is set in
	// recorded runs only, and is no part of their hash.
	Decision string `json:"decision,omitempty"`
	// Payload is the data of a segment.
	Payload []byte `json:"payload,omitempty"`
}
