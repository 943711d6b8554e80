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
	// At is the virtual time since the run's start. It is for people and for
	// lease arithmetic; order is Seq's business.
	At time.Duration `json:"atNanos"`
}

// Happened reports whether the stamp marks an event at all.
func (s Stamp) Happened() bool { return s.Seq != 0 }

// History is what one run did, in the order of the event counter.
type History struct {
	Operations   []Operation   `json:"operations"`
	Observations []Observation `json:"observations"`
	// Calls say what the operations asked of an object that is no mutex, and what
	// it answered, by [Spec]: one for each of those that concern it, under the
	// operation's ID and with its stamps, in their order; then the crashes. It is
	// empty for a mutex, of which the operations tell everything.
	Calls []Call `json:"calls,omitempty"`

	// LockName is the key or name that the scenario gave to the lock.
	LockName string `json:"lockName"`
	// Keys are the lock's keys, of a lock whose [Ownership] says what they are; nil
	// if the history is to show them. See [History.LockKeys].
	Keys []string `json:"keys,omitempty"`
	// TTL is the lease that the scenario asked the lock for.
	TTL time.Duration `json:"ttlNanos"`
	// Healed is when the last fault was over: nothing is down, paused or
	// late any more. Progress is owed from here on.
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

// CallOf returns what the operation with the given ID asked of an object that is
// no mutex, or nil.
func (h *History) CallOf(id int) *Call {
	i, found := slices.BinarySearchFunc(h.Calls, id, func(c Call, id int) int { return c.ID - id })
	if !found {
		return nil
	}
	return &h.Calls[i]
}

// OpKind is what a client asked for.
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

// Outcome is what a client knows of an operation when it has returned.
type Outcome string

// The outcomes.
const (
	// OK: it took effect, and the client was told so.
	OK Outcome = "ok"
	// Failed: the client was told that it took no effect.
	Failed Outcome = "failed"
	// Unknown: it never returned, or returned an error that leaves open
	// whether it took effect. For judging it returns at infinity.
	Unknown Outcome = "unknown"
)

// Operation is one call by one client.
type Operation struct {
	// ID numbers operations from 1 in the order of their calls.
	ID int `json:"id"`
	// Client is the name of the client process; Thread tells its threads
	// apart, from 0.
	Client string `json:"client"`
	Thread int    `json:"thread"`
	Kind   OpKind `json:"kind"`
	// Acquisition is the ID of the Acquire whose hold this belongs to; an
	// Acquire's own ID for an Acquire.
	Acquisition int `json:"acquisition"`
	// Call and Return are when the client called and when it had its answer.
	Call   Stamp   `json:"call"`
	Return Stamp   `json:"return"`
	Result Outcome `json:"outcome"`
	// Err is the error's text, if there was one.
	Err string `json:"error,omitempty"`
	// NotHeld is set on a Release or an Extend that answered lock.ErrNotHeld.
	NotHeld bool `json:"notHeld,omitempty"`
	// Try is set on an Acquire that was not to wait (lock.TryLocker).
	Try bool `json:"try,omitempty"`
	// Cancelled is when the context of the operation ended, if it did before
	// the operation returned; Idle is for how long after that, until it
	// returned or the run ended, its process ran and waited for nobody: no
	// request of its was under way, nor was it connecting.
	Cancelled Stamp         `json:"cancelled,omitzero"`
	Idle      time.Duration `json:"idleNanos,omitempty"`

	// Fenced is set if the lease has a fencing token, and Token is it.
	Fenced bool  `json:"fenced,omitempty"`
	Token  int64 `json:"token,omitempty"`
	// Leased is set on an Acquire whose lease claims an end (lock.Expirer);
	// Until is that end in the run's time, after the client's own clock. On
	// an Extend that succeeded it is the new end, and on an access the end
	// that the client had just looked at, if it was not the one it knew.
	Leased bool          `json:"leased,omitempty"`
	Until  time.Duration `json:"untilNanos,omitempty"`
	// Notifies is set on an Acquire whose lease can signal its loss
	// (lock.Notifier); Lost is when it did.
	Notifies bool  `json:"notifies,omitempty"`
	Lost     Stamp `json:"lost,omitzero"`

	// Value is what a Read returned or a Write wrote.
	Value int64 `json:"value,omitempty"`
}

// ObservationKind is what happened to a key, a node or a process.
type ObservationKind string

// The kinds of observations.
const (
	// To a record, by its key.
	KeyCreated ObservationKind = "created"
	KeyChanged ObservationKind = "changed" // value or expiry
	KeyExpired ObservationKind = "expired" // by itself, or with its session
	KeyDeleted ObservationKind = "deleted" // by a request
	// KeyDropped is the loss of a record that a returning node had and the
	// one that serves has not (or has otherwise), or that an authority has lost in a
	// restart or with its leader.
	KeyDropped ObservationKind = "dropped"

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
	// Delayed is a segment that the network holds back beyond its ordinary
	// latency: until past a timeout or a TTL. Node names the sender.
	Delayed ObservationKind = "delayed"
	// Parted is the beginning of a partition of the network, and United its
	// end. Node names the first node of one side, Value both sides.
	Parted ObservationKind = "parted"
	United ObservationKind = "united"
	// ReplyLost is an answer of a node that is lost, with its connection, when
	// it is about to arrive: what was asked for has been done. Node names who
	// was to get it.
	ReplyLost ObservationKind = "reply-lost"
	// ClockJumped and ClockOff are of the clock of a node or a process: it jumps,
	// or it is off from the beginning on.
	ClockJumped ObservationKind = "clock-jumped"
	ClockOff    ObservationKind = "clock-off"
)

// Place is whose record an observation of a key tells of: the authority's, or else
// the node's own. An observation of a node that has become a leader, or returned, says
// so of the authority that it speaks for.
func (o *Observation) Place() string {
	if o.Authority != "" {
		return o.Authority
	}
	return o.Node
}

// Sides are the actors on either side of a partition, and what it holds.
type Sides struct {
	A    []string  `json:"a"`
	B    []string  `json:"b"`
	Held Direction `json:"held"`
}

// Direction is in which direction nothing passes in a partition.
type Direction string

// The directions.
const (
	BothWays Direction = "both"
	FromAToB Direction = "a-to-b"
	FromBToA Direction = "b-to-a"
)

// Origin is who caused something: a process, through one of its connections,
// on behalf of the operation that was open when it sent the request. The zero
// Origin is nobody: time, or the world.
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
	// Authority is the name of the authority that the node was, or spoke for; of a
	// node whose own records are the truth it is its own. It is empty for a follower,
	// on which the observation is the arrival of what the serving node did before,
	// and By is still the client that caused it there.
	Authority string `json:"authority,omitempty"`

	Key string `json:"key,omitempty"`
	// Value is the value that the key has now; for an expiry, a deletion or
	// a drop the one that it had; for a partition its sides.
	Value string `json:"value,omitempty"`
	// Type and Items are set of a value that is no string; see [Stored]. Value
	// is for people then.
	Type  string   `json:"type,omitempty"`
	Items []string `json:"items,omitempty"`
	// Owner is who wrote that value; OldOwner, on a change, who wrote the
	// one before.
	Owner    Origin `json:"owner,omitzero"`
	OldOwner Origin `json:"oldOwner,omitzero"`
	By       Origin `json:"by,omitzero"`
	// ExpiresAt is when the key will expire by this node's clock, in the
	// run's time; zero if it has no expiry.
	ExpiresAt time.Duration `json:"expiresAtNanos,omitempty"`
	// Session is the session or the lease that the record lives with, and Revision
	// its place in the order in which the authority created its records; see [Record].
	Session  string `json:"session,omitempty"`
	Revision int64  `json:"revision,omitempty"`

	// Number and Token are of the protected resource: the register's value
	// after the access, and the token that the access carried (Fenced).
	Number int64 `json:"number,omitempty"`
	Fenced bool  `json:"fenced,omitempty"`
	Token  int64 `json:"token,omitempty"`

	// Sides are those of a partition.
	Sides *Sides `json:"sides,omitempty"`
	// For is how long a pause, a delay or a partition was set to last.
	For time.Duration `json:"forNanos,omitempty"`
	// Ahead is how far a clock jumped forward, or is ahead of true time (back,
	// or behind, if negative), and Rate how much faster than true time it runs,
	// in parts per million.
	Ahead time.Duration `json:"aheadNanos,omitempty"`
	Rate  int64         `json:"ratePPM,omitempty"`
}
