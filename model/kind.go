package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kind is a kind of shared object. It determines the operations and their effects;
// each model in package objects says which answers are legal.
type Kind string

// The kinds.
const (
	// KindMutex is a lock that one owner holds, once.
	KindMutex Kind = "mutex"
	// KindReentrant is a mutex that its owner may take again, up to a limit
	// (Spec.Limit), and releases as often.
	KindReentrant Kind = "reentrant"
	// KindLeased is a mutex whose holds may end by themselves after the event Until. An
	// Extend may move Until.
	KindLeased Kind = "leased"
	// KindFenced is a mutex with tokens that grow from hold to hold.
	KindFenced Kind = "fenced"
	// KindReentrantFenced is a re-entrant mutex that gives every hold a token.
	KindReentrantFenced Kind = "reentrant-fenced"
	// KindReadWrite is held by one writer or by many readers, re-entrantly.
	KindReadWrite Kind = "readwrite"
	// KindSemaphore has Spec.Permits permits. A call takes or gives back one or more of
	// them.
	KindSemaphore Kind = "semaphore"
	// KindPermitSemaphore is a semaphore whose permits have an id and a lease each.
	KindPermitSemaphore Kind = "permit-semaphore"
	// KindFair is a mutex that is granted in the order of queueing.
	KindFair Kind = "fair"
	// KindLatch counts down from Spec.Count; at zero all waiters go on.
	KindLatch Kind = "latch"
	// KindBarrier lets Spec.Parties go on together, again and again.
	KindBarrier Kind = "barrier"
	// KindRegister is a value to read, to write, and to compare and set; KindCounter a number to add to;
	// KindStock several amounts to take from. All three refuse an access whose token is lower than one
	// seen before.
	KindRegister Kind = "register"
	KindCounter  Kind = "counter"
	KindStock    Kind = "stock"
	// KindProgram is a program of the user's own instead of an object. [Kinds] does not
	// list it.
	KindProgram Kind = "program"
)

// Spec is one kind of object with its parameters.
type Spec struct {
	Kind Kind `json:"kind"`
	// Limit is the number of times that an owner may hold a re-entrant mutex at
	// once; 0 is no limit.
	Limit int `json:"limit,omitempty"`
	// Plain is set if the owner of a read-write lock cannot take either side of it again.
	Plain bool `json:"plain,omitempty"`
	// Permits is the number of permits of a semaphore, at least 1.
	Permits int64 `json:"permits,omitempty"`
	// Parties is the number of parties of a barrier, at least 1.
	Parties int `json:"parties,omitempty"`
	// Count is the initial count of a latch, at least 0.
	Count int64 `json:"count,omitempty"`
	// Initial is the initial value of a register or a counter.
	Initial int64 `json:"initial,omitempty"`
	// Stock is the initial amount of each segment, at least 0; there is at least
	// one segment.
	Stock []int64 `json:"stock,omitempty"`
}

// kinds are the kinds, in their order. Crash belongs to every kind that can be held.
var kinds = []struct {
	kind Kind
	// noun is its name in texts, and rule a sentence that states its rule, without a capital.
	noun, rule string
	// parameter is the JSON name of the kind's field of Spec; empty if it has none.
	parameter string
	ops       []OpKind
}{
	{KindMutex, "mutex", "one owner at a time holds the lock, and only its owner gives it back.", "", []OpKind{Acquire, Release, Expire, Crash}},
	{KindReentrant, "re-entrant mutex", "one owner at a time holds the lock. It may take it again, and gives it back as often.", "limit", []OpKind{Acquire, Release, Expire, Crash}},
	{KindLeased, "leased mutex", "one owner at a time holds the lock. Its hold may end by itself once its lease is no longer valid, and never before.", "", []OpKind{Acquire, Release, Extend, Expire, Crash}},
	{KindFenced, "fenced mutex", "one owner at a time holds the lock, and each hold has a greater token than those before.", "", []OpKind{Acquire, Release, Expire, Crash}},
	{KindReentrantFenced, "re-entrant fenced mutex", "one owner at a time holds the lock, as often as it takes it, and each hold has a greater token than those before.", "limit", []OpKind{Acquire, Release, Expire, Crash}},
	{KindReadWrite, "read-write lock", "one writer or many readers hold the lock at a time.", "", []OpKind{AcquireRead, ReleaseRead, AcquireWrite, ReleaseWrite, Crash}},
	{KindSemaphore, "semaphore", "no more permits are taken at a time than there are.", "permits", []OpKind{Acquire, Release, Crash}},
	{KindPermitSemaphore, "semaphore of permits with leases", "no more permits are taken at a time than there are, and each permit is one owner's until it is given back or its lease ends.", "permits", []OpKind{Acquire, Release, Extend, Expire, Crash}},
	{KindFair, "fair mutex", "one owner at a time holds the lock, and who queued first gets it first.", "", []OpKind{Acquire, Release, Expire, Crash}},
	{KindLatch, "latch", "a client that awaits it goes on once the count is zero, and not before.", "count", []OpKind{CountDown, Await, Read, Crash}},
	{KindBarrier, "barrier", "a client that awaits it goes on once all parties have come, and not before.", "parties", []OpKind{Await, Crash}},
	{KindRegister, "register", "a read answers the value that was written last, and a cas replaces the value that it expects.", "initial", []OpKind{Read, Write, Cas, Crash}},
	{KindCounter, "counter", "a read answers the sum of all that was added before.", "initial", []OpKind{Read, Add, Crash}},
	{KindStock, "stock", "no more is taken of a segment than it has.", "stock", []OpKind{Take, Put, Read, Crash}},
}

// Kinds returns all kinds.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i := range kinds {
		all[i] = kinds[i].kind
	}
	return all
}

// Ops returns the operations that objects of the kind have, nil if there is no
// such kind.
func (k Kind) Ops() []OpKind {
	for i := range kinds {
		if kinds[i].kind == k {
			return slices.Clone(kinds[i].ops)
		}
	}
	return nil
}

// Noun returns the kind's name in texts, such as "leased mutex"; empty if there is no such kind.
func (k Kind) Noun() (noun string) {
	for i := range kinds {
		if kinds[i].kind == k {
			noun = kinds[i].noun
		}
	}
	return noun
}

// Rule returns a sentence that states the rule of the kind's objects, without a
// capital.
func (k Kind) Rule() (rule string) {
	for i := range kinds {
		if kinds[i].kind == k {
			rule = kinds[i].rule
		}
	}
	return rule
}

// Parameter returns the JSON name of the field of [Spec] that is the kind's parameter, or "" if it has none.
func (k Kind) Parameter() (name string) {
	for i := range kinds {
		if kinds[i].kind == k {
			name = kinds[i].parameter
		}
	}
	return name
}

// Validate returns an error if a parameter is invalid.
func (s Spec) Validate() error {
	switch {
	case s.Kind.Ops() == nil:
		return fmt.Errorf("unknown kind %q; the kinds are %s", s.Kind, joined(Kinds()))
	case s.Limit < 0:
		return fmt.Errorf("limit %d: want 0 (without limit) or more", s.Limit)
	case s.Permits < 1 && (s.Kind == KindSemaphore || s.Kind == KindPermitSemaphore):
		return fmt.Errorf("%s with %d permits: want 1 or more", s.Kind, s.Permits)
	case s.Parties < 1 && s.Kind == KindBarrier:
		return fmt.Errorf("barrier for %d parties: want 1 or more", s.Parties)
	case s.Count < 0:
		return fmt.Errorf("count %d: want 0 or more", s.Count)
	case len(s.Stock) == 0 && s.Kind == KindStock:
		return errors.New("stock without segments: want at least one")
	case slices.ContainsFunc(s.Stock, func(n int64) bool { return n < 0 }):
		return fmt.Errorf("stock %v: want 0 or more in each segment", s.Stock)
	}
	return nil
}

// Check returns an error if a call on such an object is malformed. The error names the
// call by its number. Mistakes of clients, such as a release without a hold, are not
// malformed; the models judge them.
func (s Spec) Check(c *Call) error {
	if err := s.check(c); err != nil {
		return fmt.Errorf("call %d: %w", c.ID, err)
	}
	return nil
}

// CheckAll checks every call of a history, and that no two have the same ID. It
// returns the first error.
func (s Spec) CheckAll(calls []Call) error {
	ids := make(map[int]bool, len(calls))
	for i := range calls {
		c := &calls[i]
		if err := s.Check(c); err != nil {
			return err
		}
		if ids[c.ID] {
			return fmt.Errorf("call %d: duplicate id", c.ID)
		}
		ids[c.ID] = true
	}
	return nil
}

func (s Spec) check(c *Call) error {
	switch {
	case c.ID < 1:
		return errors.New("no id: want a positive number")
	case c.Client == "":
		return errors.New("no client")
	case c.Thread < 0:
		return fmt.Errorf("thread %d: want 0 or more", c.Thread)
	case c.Object == "" && c.Op != Crash:
		return errors.New("no object")
	case !slices.Contains(s.Kind.Ops(), c.Op):
		return fmt.Errorf("operation %q: a %s has %s", c.Op, s.Kind, joined(s.Kind.Ops()))
	}
	for _, check := range []func(*Call) error{checkStamps, checkOutcome, s.checkArguments, s.checkResults} {
		if err := check(c); err != nil {
			return err
		}
	}
	return nil
}

func checkStamps(c *Call) error {
	switch {
	case c.Call < 1:
		return fmt.Errorf("called at event %d: events are numbered from 1", c.Call)
	case c.Return != 0 && c.Return < c.Call:
		return fmt.Errorf("called at event %d, returned at event %d: want no return before the call", c.Call, c.Return)
	case c.Until < 0:
		return fmt.Errorf("until event %d: events are numbered from 1, and 0 is no end", c.Until)
	case c.QueuedFrom != 0 && c.QueuedFrom < c.Call:
		return fmt.Errorf("queued from event %d, called at event %d: want no queueing before the call", c.QueuedFrom, c.Call)
	case c.Queued != 0 && c.Queued < max(c.QueuedFrom, c.Call):
		return fmt.Errorf("queued by event %d, but not before event %d", c.Queued, max(c.QueuedFrom, c.Call))
	case c.Return != 0 && max(c.QueuedFrom, c.Queued) > c.Return:
		return fmt.Errorf("queued by event %d, returned at event %d: want queueing before the return", max(c.QueuedFrom, c.Queued), c.Return)
	}
	return nil
}

func checkOutcome(c *Call) error {
	switch {
	case c.Outcome != OK && c.Outcome != Failed && c.Outcome != Unknown:
		return fmt.Errorf("outcome %q: want %s, %s or %s", c.Outcome, OK, Failed, Unknown)
	case c.Outcome != Unknown && c.Return == 0:
		return fmt.Errorf("outcome %q without a return: want %s", c.Outcome, Unknown)
	case (c.Op == Crash || c.Op == Expire) && (c.Outcome != Unknown || c.Return != 0):
		return fmt.Errorf("%s never returns: want no return, and the outcome %s", c.Op, Unknown)
	}
	return nil
}

func (s Spec) checkArguments(c *Call) error {
	counts := s.Kind == KindSemaphore || s.Kind == KindStock || c.Op == CountDown
	queued := c.QueuedFrom != 0 || c.Queued != 0
	switch {
	case c.N < 0 && counts:
		return fmt.Errorf("n %d: want 1 or more, or 0 for 1", c.N)
	case c.N != 0 && !counts && !slices.Contains([]OpKind{Write, Cas, Add}, c.Op):
		return fmt.Errorf("n %d: %s of a %s takes none", c.N, c.Op, s.Kind)
	case c.Expected != 0 && c.Op != Cas:
		return fmt.Errorf("expected %d: %s of a %s expects no value", c.Expected, c.Op, s.Kind)
	case s.Kind == KindStock && c.Op != Crash && (c.Segment < 0 || c.Segment >= len(s.Stock)):
		return fmt.Errorf("segment %d: there are %d, from 0", c.Segment, len(s.Stock))
	case s.Kind != KindStock && c.Segment != 0:
		return fmt.Errorf("segment %d: a %s has none", c.Segment, s.Kind)
	case c.Of < 0 || c.Of == c.ID:
		return fmt.Errorf("of %d: want the id of an acquire", c.Of)
	case c.Of != 0 && !slices.Contains([]OpKind{Release, Extend, Expire, ReleaseRead, ReleaseWrite}, c.Op):
		return fmt.Errorf("of %d: %s names no hold", c.Of, c.Op)
	case c.Op == Expire && c.Of == 0 && c.Permit == "":
		return errors.New("expire: want the hold that it ends (of)")
	case s.Kind == KindPermitSemaphore && (c.Op == Release || c.Op == Extend) && c.Of == 0 && c.Permit == "":
		return fmt.Errorf("%s: want the permit, or the id of the acquire (of)", c.Op)
	case c.Try && !slices.Contains([]OpKind{Acquire, AcquireRead, AcquireWrite, Await}, c.Op):
		return fmt.Errorf("try: %s never waits", c.Op)
	case c.Try && s.Kind == KindBarrier:
		return errors.New("try: a barrier has none")
	case queued && (s.Kind != KindFair || c.Op != Acquire):
		return fmt.Errorf("queued: %s of a %s has no queue", c.Op, s.Kind)
	}
	return nil
}

func (s Spec) checkResults(c *Call) error {
	resource := s.Kind == KindRegister || s.Kind == KindCounter || s.Kind == KindStock
	fenced := s.Kind == KindFenced || s.Kind == KindReentrantFenced
	leased := s.Kind == KindLeased || s.Kind == KindPermitSemaphore
	valued := c.Op == Read || c.Op == Add || s.Kind == KindBarrier
	switch {
	case c.Until != 0 && (!leased || c.Op != Acquire && c.Op != Extend):
		return fmt.Errorf("until event %d: %s of a %s has no lease", c.Until, c.Op, s.Kind)
	case c.Fenced && !resource && (!fenced || c.Op != Acquire):
		return fmt.Errorf("token %d: %s of a %s has none", c.Token, c.Op, s.Kind)
	case !c.Fenced && c.Token != 0:
		return fmt.Errorf("token %d, but it is not fenced", c.Token)
	case c.Refused && (!resource || c.Outcome != Failed):
		return fmt.Errorf("refused: want a failed access of a resource, not %s %s of a %s", c.Outcome, c.Op, s.Kind)
	case c.Permit != "" && s.Kind != KindPermitSemaphore:
		return fmt.Errorf("permit %q: permits of a %s have no ids", c.Permit, s.Kind)
	case c.Op == Acquire && s.Kind == KindPermitSemaphore && c.Outcome == OK && c.Permit == "":
		return errors.New("acquired without a permit id")
	case c.Valued && !valued:
		return fmt.Errorf("value %d: %s of a %s has none", c.Value, c.Op, s.Kind)
	case c.Value != 0 && !c.Valued:
		return fmt.Errorf("value %d, but it is not valued", c.Value)
	}
	return nil
}

// joined lists names for an error.
func joined[T ~string](names []T) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = string(n)
	}
	return strings.Join(words, ", ")
}
