package model

import (
	"slices"
	"time"
)

// Stamp is a place in a run.
type Stamp struct {
	// Seq is the number of the event in the run's log, from 1. Zero means
	// "never": an operation that did not return has Return.Seq == 0.
	Seq int64 `json:"seq"`
	// At is the virtual time since the run's start. It is for the reader and for
	// lease arithmetic; order is given by Seq.
	At time.Duration `json:"atNanos"`
}

// Happened reports whether the stamp marks an event.
func (s Stamp) Happened() bool { return s.Seq != 0 }

// History is the history of one run, in the order of the event counter.
type History struct {
	Operations   []Operation   `json:"operations"`
	Observations []Observation `json:"observations"`
	// Calls are the operations on an object other than a mutex, as calls: one for each
	// operation, with its ID and stamps, in their order; then the crashes. It is empty
	// for a mutex.
	Calls []Call `json:"calls,omitempty"`
	// Statements and Actions are those that a program reported, in the order of their events. A
	// lock has none.
	Statements []Statement `json:"statements,omitempty"`
	Actions    []Action    `json:"actions,omitempty"`

	// LockName is the key or name that the scenario gave to the lock.
	LockName string `json:"lockName"`
	// Keys are the lock's keys if they come from an [Ownership]; nil if they are
	// derived from the history. See [History.LockKeys].
	Keys []string `json:"keys,omitempty"`
	// TTL is the length of lease that the scenario asked for.
	TTL time.Duration `json:"ttlNanos"`
	// Healed is the end of the last fault: nothing is down, paused or late any
	// more. Progress is required from here on.
	Healed time.Duration `json:"healedNanos"`
	// End is the last event of the run.
	End Stamp `json:"end"`
	// Cut says why the run stopped before its clients were done and before
	// progress could be judged (an event limit); empty otherwise.
	Cut string `json:"cut,omitempty"`
}

// Operation returns the operation with the given ID, or nil. IDs are dense:
// Operations[i].ID == i+1.
func (h *History) Operation(id int) *Operation {
	if id < 1 || id > len(h.Operations) {
		return nil
	}
	return &h.Operations[id-1]
}

// CallOf returns the call of the operation with the given ID, or nil. Operations on a
// mutex have none.
func (h *History) CallOf(id int) *Call {
	i, found := slices.BinarySearchFunc(h.Calls, id, func(c Call, id int) int { return c.ID - id })
	if !found {
		return nil
	}
	return &h.Calls[i]
}

// OpKind is the kind of an operation.
type OpKind string

// The kinds of operations.
const (
	Acquire OpKind = "acquire"
	Release OpKind = "release"
	Extend  OpKind = "extend"
	Read    OpKind = "read"  // of the protected resource
	Write   OpKind = "write" // of the protected resource
)

// Acquires reports whether the operation begins a hold.
func (k OpKind) Acquires() bool { return k == Acquire || k == AcquireRead || k == AcquireWrite }

// Releases reports whether the operation gives up a hold.
func (k OpKind) Releases() bool { return k == Release || k == ReleaseRead || k == ReleaseWrite }

// Outcome is the outcome of an operation as its client knows it.
type Outcome string

// The outcomes.
const (
	// OK: it took effect, and its answer said so.
	OK Outcome = "ok"
	// Failed: its answer said that it took no effect.
	Failed Outcome = "failed"
	// Unknown: it never returned, or returned an error that leaves open whether it took
	// effect. The checker treats it as returning at infinity.
	Unknown Outcome = "unknown"
)

// Operation is one call by one client.
type Operation struct {
	// ID numbers operations from 1 in the order of their calls.
	ID int `json:"id"`
	// Client is the name of the client process, and Thread the number of its thread,
	// from 0.
	Client string `json:"client"`
	Thread int    `json:"thread"`
	Kind   OpKind `json:"kind"`
	// Lock is the name of the lock that a program watches; empty if the lock is the subject of the
	// run.
	Lock string `json:"lock,omitempty"`
	// Acquisition is the ID of the Acquire whose hold the operation belongs to; for an
	// Acquire its own ID.
	Acquisition int `json:"acquisition"`
	// Call and Return are the places of the call and of its return.
	Call   Stamp   `json:"call"`
	Return Stamp   `json:"return"`
	Result Outcome `json:"outcome"`
	// Err is the error's text, if there was one.
	Err string `json:"error,omitempty"`
	// NotHeld is set on a Release or an Extend that returned lock.ErrNotHeld.
	NotHeld bool `json:"notHeld,omitempty"`
	// Try is set on an Acquire that does not wait (lock.TryLocker).
	Try bool `json:"try,omitempty"`
	// Cancelled is the end of the operation's context, if it ended before the operation
	// returned. Idle is how long the process was idle from then until the return or the
	// end of the run: running, without a request or a connection attempt under way.
	Cancelled Stamp         `json:"cancelled,omitzero"`
	Idle      time.Duration `json:"idleNanos,omitempty"`
	// BackToBack is the length of the operation's longest row of requests, each sent at
	// the instant at which the process got the answer to the one before; 0 if it is
	// below [Spinning].
	BackToBack int `json:"backToBack,omitempty"`
	// Tries are the times at which such rows began, of any length. They are recorded for
	// an Acquire if a property needs them.
	Tries []time.Duration `json:"triesNanos,omitempty"`
	// Sizes are set on a Release: how much the process still kept for its locks after it
	// returned, for each thing that the lock has set a bound for.
	Sizes []Size `json:"sizes,omitempty"`

	// Token is the lease's fencing token. Fenced is set if it has one.
	Fenced bool  `json:"fenced,omitempty"`
	Token  int64 `json:"token,omitempty"`
	// Leased is set on an Acquire whose lease claims an end (lock.Expirer). Until is
	// that end by the client's clock, in the run's time. On an Extend that succeeded it
	// is the new end. On an access it is the end that the client read just before, if
	// that end was new.
	Leased bool          `json:"leased,omitempty"`
	Until  time.Duration `json:"untilNanos,omitempty"`
	// Notifies is set on an Acquire whose lease can signal its loss
	// (lock.Notifier); Lost is when it did.
	Notifies bool  `json:"notifies,omitempty"`
	Lost     Stamp `json:"lost,omitzero"`

	// Value is what a Read returned or a Write wrote.
	Value int64 `json:"value,omitempty"`
}

// Size is the amount of something that a process keeps, such as entries of a map, and the
// most that it may keep while none of its threads holds the lock or waits for it.
type Size struct {
	What string `json:"what"`
	N    int    `json:"n"`
	Most int    `json:"most"`
}

// Spinning is the number of requests in a row, without a pause between them, from
// which an operation counts as spinning.
const Spinning = 100

// ObservationKind is the kind of an observation.
type ObservationKind string

// The kinds of observations.
const (
	// To a record, by its key.
	RecordCreated ObservationKind = "created"
	RecordChanged ObservationKind = "changed" // value or expiry
	RecordExpired ObservationKind = "expired" // by itself, or with its session
	RecordDeleted ObservationKind = "deleted" // by a request
	// RecordDropped is the loss of a record: a returning node had it and the serving
	// node lacks it (or has another value), or an authority lost it in a restart or
	// with its leader.
	RecordDropped ObservationKind = "dropped"
	// RecordShown is a read of a record from a follower. Value is what the client gets, empty if the follower
	// has no such record. The record does not change.
	RecordShown ObservationKind = "shown"

	// To the protected resource. A refused access had a token lower than
	// the highest one seen.
	ResourceRead    ObservationKind = "resource-read"
	ResourceWritten ObservationKind = "resource-written"
	ResourceRefused ObservationKind = "resource-refused"

	// To a node or a process (Observation.Node names either).
	Paused   ObservationKind = "paused"
	Resumed  ObservationKind = "resumed"
	Crashed  ObservationKind = "crashed"
	Returned ObservationKind = "returned" // a node came back, as a follower if another serves
	Promoted ObservationKind = "promoted"
	// Closed is the moment from which a serving node, though up, refuses all requests for records; Opened is the end of
	// that. A crash, a return and a promotion of the node end it as well.
	Closed ObservationKind = "closed"
	Opened ObservationKind = "opened"
	// Assigned gives a part of the store (Part) to a node, in a store whose parts are on several servers: from now
	// on the node has its records. If SentTo is set, the node sends clients there for the records that it does not
	// have.
	Assigned ObservationKind = "assigned"
	// Scattered is a request that the node refused because its keys belong to several parts. By is its origin.
	Scattered ObservationKind = "scattered"
	// Delayed is a segment that the network holds back beyond its ordinary latency,
	// past a timeout or a TTL. Node names the sender.
	Delayed ObservationKind = "delayed"
	// Parted is the beginning of a partition of the network, and United its
	// end. Node names the first node of one side, Value both sides.
	Parted ObservationKind = "parted"
	United ObservationKind = "united"
	// ReplyLost is the loss of an answer, with its connection, just before it arrives:
	// the request has taken effect. Node names the receiver.
	ReplyLost ObservationKind = "reply-lost"
	// ClockJumped is a jump of the clock of a node or a process. ClockOff is a clock
	// that is wrong from the beginning.
	ClockJumped ObservationKind = "clock-jumped"
	ClockOff    ObservationKind = "clock-off"
)

// OfRecord reports whether observations of the kind concern a record.
func (k ObservationKind) OfRecord() bool {
	switch k {
	case RecordCreated, RecordChanged, RecordExpired, RecordDeleted, RecordDropped:
		return true
	}
	return false
}

// Troubles reports whether the observation is a fault, or the consequence of one. A clock that its client does not go by is none.
func (o *Observation) Troubles() bool {
	switch o.Kind {
	case Paused, Crashed, Delayed, ReplyLost, ClockJumped, ClockOff, Parted, Promoted, Returned, Closed:
		return !o.Unread
	}
	return o.Note != nil && o.Note.Bad
}

// Place names the owner of the record that an observation shows: the authority, or else
// the node. For a node that was promoted or that returned, it is the authority that the
// node speaks for.
func (o *Observation) Place() string {
	if o.Authority != "" {
		return o.Authority
	}
	return o.Node
}

// Sides are the actors on either side of a partition, and the direction that it blocks.
type Sides struct {
	A    []string  `json:"a"`
	B    []string  `json:"b"`
	Held Direction `json:"held"`
}

// Direction is the direction in which a partition holds messages back.
type Direction string

// The directions.
const (
	BothWays Direction = "both"
	FromAToB Direction = "a-to-b"
	FromBToA Direction = "b-to-a"
)

// Origin is the cause of a change: a process, through one of its connections, on
// behalf of the operation that was open when it sent the request. The zero Origin
// stands for time or a fault.
type Origin struct {
	Client string `json:"client,omitempty"`
	Conn   int    `json:"conn,omitempty"`
	Op     int    `json:"op,omitempty"`
}

// Observation is one thing that happened to a key, a node, a process or the
// resource.
type Observation struct {
	Stamp
	// Node is the node, resource or process that it happened to.
	Node string          `json:"node"`
	Kind ObservationKind `json:"kind"`
	// Authority is the name of the authority that the node was, or spoke for: its own
	// name if it was one by itself. It is empty for a follower: the observation is then
	// the arrival of an earlier change of the serving node, and By is the client that
	// caused that change.
	Authority string `json:"authority,omitempty"`

	Key string `json:"key,omitempty"`
	// Value is the value of the key after the change; for an expiry, a deletion or a
	// drop its last value; for a partition its sides.
	Value string `json:"value,omitempty"`
	// Type and Items are set for a value that is not a string; see [Stored]. Value is
	// then for the reader.
	Type  string   `json:"type,omitempty"`
	Items []string `json:"items,omitempty"`
	// Owner is the origin of the value; OldOwner, on a change, the origin of the value
	// before.
	Owner    Origin `json:"owner,omitzero"`
	OldOwner Origin `json:"oldOwner,omitzero"`
	By       Origin `json:"by,omitzero"`
	// ExpiresAt is the key's expiry by this node's clock, in the run's time; zero if it has
	// none. For a record that expired too early it is the end that its client could count
	// on; for others that expired it is zero.
	ExpiresAt time.Duration `json:"expiresAtNanos,omitempty"`
	// ClockRead is when the node's clock was read for the value, if the clock has jumped since: a
	// transaction's changes are observed only when it commits.
	ClockRead Stamp `json:"clockRead,omitzero"`
	// Session is the session or the lease that the record lives with, and Revision
	// its place in the order in which the authority created its records; see [Record].
	Session  string `json:"session,omitempty"`
	Revision int64  `json:"revision,omitempty"`

	// Part is the part of the store that is assigned, such as a hash slot, and SentTo the node to which the
	// authority sends clients for records that it does not have.
	Part   string `json:"part,omitempty"`
	SentTo string `json:"sentTo,omitempty"`

	// Epoch is the epoch or term of a node that serves (Promoted, RoleServing), from 1; 0
	// if the store counts none.
	Epoch int64 `json:"epoch,omitempty"`
	// Note is set on an observation of the kind [Noted].
	Note *Note `json:"note,omitempty"`

	// Number is the value of the protected resource after the access, and Token the
	// token that the access carried (Fenced).
	Number int64 `json:"number,omitempty"`
	Fenced bool  `json:"fenced,omitempty"`
	Token  int64 `json:"token,omitempty"`

	// Broken is set on the end of a record whose session was a connection that the
	// network broke.
	Broken bool `json:"broken,omitempty"`
	// Sides are those of a partition.
	Sides *Sides `json:"sides,omitempty"`
	// For is the length of a pause, a delay or a partition.
	For time.Duration `json:"forNanos,omitempty"`
	// Ahead is how far a clock jumped forward, or is ahead of true time (back,
	// or behind, if negative), and Rate how much faster than true time it runs,
	// in parts per million.
	Ahead time.Duration `json:"aheadNanos,omitempty"`
	Rate  int64         `json:"ratePPM,omitempty"`
	// Unread is set on a ClockOff and a ClockJumped of a client whose code does not go by that clock, but by package
	// time, which is right. So the fault neither ends its claims nor excuses it.
	Unread bool `json:"unread,omitempty"`
}
