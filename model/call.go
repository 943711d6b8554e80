package model

import "fmt"

// Call is one operation of one client on one named shared object of any kind, with its
// arguments, times and answer. The sequential models (package objects), the monitors,
// and histories that were recorded elsewhere all consist of calls. An [Operation] has
// everything that a simulated run knows; a Call has only what any recorder knows.
//
// # Order
//
// Call and Return are event numbers, from 1: only their order counts. An interval
// is closed, as porcupine's are: if one call returns at the number at which another
// is called, either may have been first. A good recorder gives every event its own
// number.
//
// # Outcomes
//
//   - [OK]: it took effect at one instant between Call and Return (an Await on a
//     barrier, and an Acquire of a fair mutex, at two: see [KindBarrier],
//     [KindFair]).
//   - [Failed]: it took no effect. A failed Try also says that the object forbade it at
//     one instant between Call and Return: a failed try on a free mutex is illegal.
//     Without Try (it timed out, was cancelled, gave up) it says nothing more. A failed
//     Release is the exception: its answer was that there is no such hold, as a retried
//     request gets whose first try took effect. Its caller then holds nothing any more,
//     even if it did before (for a semaphore: up to N permits less).
//   - [Unknown]: it took effect at one instant after Call, or never. Its Return and
//     its results do not count: it returns at infinity, and its client continues as
//     a new one.
//
// # Holds
//
// An Acquire begins a hold, which the Acquire's ID names. A call that ends, extends
// or expires a hold names it by Of or, without Of, by its owner ([Call.Holder]).
type Call struct {
	// ID numbers the calls of a history; it is positive and unique.
	ID int `json:"id"`
	// Client is the client process, and Thread its thread, from 0.
	Client string `json:"client"`
	Thread int    `json:"thread,omitempty"`
	// Object names the shared object. Objects are independent of each other.
	Object string `json:"object"`
	// Op is the operation. [Kind.Ops] lists those of each kind of object.
	Op OpKind `json:"op"`

	// Owner is the owner of the hold, if it is not the calling thread. See
	// [Call.Holder].
	Owner string `json:"owner,omitempty"`
	// N is the argument: the number of permits, count-downs or pieces (0 means 1);
	// the value of a Write or a Cas; the addend of an Add.
	N int64 `json:"n,omitempty"`
	// Expected is the value that a Cas replaces by N.
	Expected int64 `json:"expected,omitempty"`
	// Segment is the segment of a stock, from 0.
	Segment int `json:"segment,omitempty"`
	// Of is the ID of the Acquire whose hold this call ends, extends or lets expire. If
	// it is 0, the owner or Permit names the hold.
	Of int `json:"of,omitempty"`
	// Try is set on a call that does not wait.
	Try bool `json:"try,omitempty"`

	// Call and Return are the event numbers of the call and of its return;
	// Return is 0 if it never returned.
	Call   int64 `json:"call"`
	Return int64 `json:"return,omitempty"`
	// QueuedFrom and Queued bound the instant at which an Acquire of a fair mutex took
	// its place in the queue: not before QueuedFrom, not after Queued. A QueuedFrom of
	// 0 stands for Call, a Queued of 0 for Return. If they are equal, the instant is
	// known.
	QueuedFrom int64 `json:"queuedFrom,omitempty"`
	Queued     int64 `json:"queued,omitempty"`

	Outcome Outcome `json:"outcome"`

	// Until, of an Acquire or an Extend that succeeded, is the last event at which the
	// client can rely on the hold; from there on the hold may end by itself. It is 0 if
	// the hold never does. The recorder takes it from the validity that the client was
	// given, or from the client's clock.
	Until int64 `json:"until,omitempty"`
	// Token is the fencing token that the lock gave, or that an access of a resource
	// carried. Fenced is set if there is one.
	Fenced bool  `json:"fenced,omitempty"`
	Token  int64 `json:"token,omitempty"`
	// Refused is set on an access of a resource that failed because the
	// resource refused it: the token was lower than one seen before, the
	// stock did not suffice, or the value was not the one that a Cas expected.
	Refused bool `json:"refused,omitempty"`
	// Permit is the id of the permit that an Acquire was given, or that a
	// Release, an Extend or an Expire names.
	Permit string `json:"permit,omitempty"`
	// Value is the value that was answered: that of a Read, the sum after an Add, the
	// count of a latch, the generation of a barrier (the first is 0). Valued is set if
	// there is one.
	Valued bool  `json:"valued,omitempty"`
	Value  int64 `json:"value,omitempty"`
}

// The operations of a [Call] that an [Operation] of a mutex does not have. Both have
// [Acquire], [Release], [Extend], [Read] and [Write].
const (
	AcquireRead  OpKind = "acquire-read"
	ReleaseRead  OpKind = "release-read"
	AcquireWrite OpKind = "acquire-write"
	ReleaseWrite OpKind = "release-write"

	// CountDown lowers a latch's count; Await waits until it is zero, or until
	// all parties of a barrier have come.
	CountDown OpKind = "count-down"
	Await     OpKind = "await"

	// Cas replaces the value of a register if it is the expected one: compare and set.
	Cas OpKind = "cas"
	// Add is for a counter; Take and Put are for a stock.
	Add  OpKind = "add"
	Take OpKind = "take"
	Put  OpKind = "put"

	// Expire is not a call of a client. From this event on the hold may end by itself,
	// at any time or never. It is for cases that Until cannot express, such as a client
	// that learns that its lease is lost. Outcome is Unknown, and there is no Return.
	Expire OpKind = "expire"
	// Crash is not a call either. The client process dies; from this event on its
	// holds, including those of pending calls, may end by themselves at any time. An
	// empty Object stands for all objects. Outcome is Unknown, and there is no Return.
	Crash OpKind = "crash"
)

// Holder is the owner of the hold that the call concerns: Owner if it is set, and
// otherwise the client's thread, such as "c1" or "c1/2" (thread 0 has no number).
func (c *Call) Holder() string {
	if c.Owner != "" {
		return c.Owner
	}
	return c.Who()
}

// Who is the calling thread, such as "c1" or "c1/2".
func (c *Call) Who() string {
	if c.Thread == 0 {
		return c.Client
	}
	return fmt.Sprintf("%s/%d", c.Client, c.Thread)
}

// Amount is N, or 1 if N is 0.
func (c *Call) Amount() int64 {
	if c.N == 0 {
		return 1
	}
	return c.N
}

// Pending reports whether the call's outcome is unknown. Such a call returns at
// infinity.
func (c *Call) Pending() bool { return c.Outcome == Unknown || c.Return == 0 }

// Waits reports whether the operation may wait for others: Acquire, Await and Take.
func (k OpKind) Waits() bool { return k == Acquire || k == Await || k == Take }

// Recorded reports whether an [Operation] of a simulated run may have this kind. The
// other kinds occur only in a [Call].
func (k OpKind) Recorded() bool {
	switch k {
	case Acquire, Release, Extend, Read, Write, Await, CountDown, Take:
		return true
	}
	return false
}
