package traces

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Schema is the version of the trace format that this package writes.
const Schema = 2

// Trace is one recorded run: what was asked, the tape that decided it, and
// what happened.
type Trace struct {
	Schema int      `json:"schema"`
	Made   Versions `json:"made"`

	Scenario   string      `json:"scenario"`
	Parameters []Parameter `json:"parameters"`
	Lock       string      `json:"lock"`
	// Store is the id of the store in which the lock lives, and Terms are what things
	// are called there.
	Store string      `json:"store"`
	Terms model.Terms `json:"terms"`
	// Test is set if the lock is one that only a test knows.
	Test *Test `json:"test,omitempty"`
	// Seed and Schedule name the random tape that first found it: the
	// Schedule-th of the search with that seed. A negative Schedule is that of
	// no search: such a trace can be told, and not read back.
	Seed     uint64 `json:"seed"`
	Schedule int    `json:"schedule"`
	// Strategy is that search's, empty if it was exhaustive: then Schedule is
	// the number in the order of that.
	Strategy string `json:"strategy,omitempty"`
	// Property is the violated property that the trace was kept for, empty
	// if none was. Limit is set if its verdict says that the violation is a limit
	// of leases and no fault of the lock.
	Property string `json:"property,omitempty"`
	Limit    bool   `json:"limit,omitempty"`

	// Shrunk says what was found, if this is what it was shrunk to, and
	// Attribution what was necessary for it, if that was looked into.
	Shrunk      *Shrunk      `json:"shrunk,omitempty"`
	Attribution *Attribution `json:"attribution,omitempty"`

	// Trouble is set if the run came to no proper end: then the tape, as far as
	// it got, is all that is known of it.
	Trouble *Trouble `json:"trouble,omitempty"`

	// Actors are the lanes of the picture, in order.
	Actors []Actor `json:"actors"`

	Tape     []sim.Choice    `json:"tape"`
	Events   []sim.Event     `json:"events"`
	History  model.History   `json:"history"`
	Verdicts []model.Verdict `json:"verdicts"`
	// Hash is the rolling hash over events, history and verdicts, in hex.
	Hash string `json:"hash"`
}

// Test is a test that puts a lock of its own into scenarios.
type Test struct {
	// Name is the test's, as go test prints it, and Package the import path of
	// its package, without the test's.
	Name    string `json:"name"`
	Package string `json:"package"`
	// Call is the number of the call in the test, from 1.
	Call int `json:"call"`
}

// Shrunk says what a counterexample was shrunk from.
type Shrunk struct {
	// Parameters are those of the search that found it.
	Parameters []Parameter `json:"parameters"`
	// From is how many deviations from calm it had, To how many it has, and
	// Runs how many runs that took.
	From int `json:"from"`
	To   int `json:"to"`
	Runs int `json:"runs"`
	// Exhausted is set if the budget ended before there was nothing to try.
	Exhausted bool `json:"exhausted,omitempty"`
}

// Attribution says what a counterexample needs, and what would have helped.
type Attribution struct {
	Deviations []Deviation `json:"deviations"`
	Remedies   []Remedy    `json:"remedies"`
}

// Deviation is a choice of the tape that was not calm.
type Deviation struct {
	// Decision is its identity and Option what was chosen.
	Decision string `json:"decision"`
	Option   int    `json:"option"`
	// Seq is the event in which it shows, zero if in none.
	Seq int64 `json:"seq,omitempty"`
	// Text says what it is: "n1 crashes".
	Text string `json:"text"`
	// Needed is set if the property is not violated without it, all else
	// being the same; of a fault, if it is not violated as a fault.
	Needed bool `json:"needed"`
	// Untried is set if nobody knows: the budget ended before the run without it.
	Untried bool `json:"untried,omitempty"`
}

// Remedy is something that might have helped.
type Remedy struct {
	// Text says what it is: "the lock setpx-wait".
	Text string `json:"text"`
	// Gone is set if no schedule was found that violates the property with it (of a
	// fault: that violates it as a fault, for limits may be left): none in Schedules of them, among which are all with at most Bound
	// deviations (-1: not even the calm one).
	Gone      bool `json:"gone"`
	Schedules int  `json:"schedules"`
	Bound     int  `json:"bound"`
	// Trouble says why the search for one came to no proper end, if so.
	Trouble string `json:"trouble,omitempty"`
	// Except says why it does not apply, if so: what the property is about is not
	// there with it. Then nothing was searched.
	Except string `json:"except,omitempty"`
	// Note is what has to be known beside, if that it is gone says less than it
	// seems to.
	Note string `json:"note,omitempty"`
}

// Trouble is how a run came to no proper end.
type Trouble struct {
	// Kind is one word for it, such as "crashed"; Reason says in a sentence
	// what happened.
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// Versions are what byte identity of a replay depends on, by name: those of
// "lockpick" and "go", and those of the client libraries of the store.
type Versions map[string]string

// Equal reports whether they are the same.
func (v Versions) Equal(other Versions) bool { return maps.Equal(v, other) }

// String lists them, Lockpick's and Go's first.
func (v Versions) String() string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(v)), func(name string) bool { return name == "lockpick" || name == "go" })
	var parts []string
	for _, name := range append([]string{"lockpick", "go"}, names...) {
		parts = append(parts, name+" "+cmp.Or(strings.TrimPrefix(v[name], "go"), "(unknown)"))
	}
	return strings.Join(parts, ", ")
}

// Parameter is one parameter of the scenario, as it would be given on the
// command line.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ActorKind is what an actor is.
type ActorKind string

// The kinds of actors.
const (
	ClientActor   ActorKind = "client"
	NodeActor     ActorKind = "node" // of the store
	ResourceActor ActorKind = "resource"
)

// Actor is one lane of a trace.
type Actor struct {
	Name string    `json:"name"`
	Kind ActorKind `json:"kind"`
	// Server, of a node, is the number of the independent server that it belongs to,
	// from 1, if there are several; the first node of each is the first that serves.
	Server int `json:"server,omitempty"`
}

// Violation is what the trace was kept for, the zero value if it was kept for no
// violation.
func (t *Trace) Violation() model.Violation {
	if t.Property == "" {
		return model.Violation{}
	}
	return model.Violation{Property: t.Property, Limit: t.Limit}
}

// Reclassified says that the trace, of a replay of the old one, violates the same
// property in another class: as a limit where that was a fault, or the other way
// round. It is empty if the class is the same, or nothing is violated.
func (t *Trace) Reclassified(old *Trace) string {
	v := t.Verdict()
	if v == nil || v.Status != model.Violated || v.Property != old.Property || v.Limit == old.Limit {
		return ""
	}
	now := v.Violation()
	return fmt.Sprintf("%s was recorded as a %s, and this run violates it as a %s", old.Property, old.Violation().Class(), now.Class())
}

// Verdict returns the verdict on the property that the trace was kept for,
// or nil.
func (t *Trace) Verdict() *model.Verdict {
	for i := range t.Verdicts {
		if t.Verdicts[i].Property == t.Property && t.Property != "" {
			return &t.Verdicts[i]
		}
	}
	return nil
}
