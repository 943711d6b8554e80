package traces

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Schema is the version of the trace format that this package writes.
const Schema = 3

// Trace is one recorded run: its cell, its tape, and what happened.
type Trace struct {
	Schema int      `json:"schema"`
	Made   Versions `json:"made"`

	Scenario   string      `json:"scenario"`
	Parameters []Parameter `json:"parameters"`
	Lock       string      `json:"lock"`
	// Store is the id of the lock's store, and Terms are its nouns.
	Store string      `json:"store"`
	Terms model.Terms `json:"terms"`
	// Test is set for a lock that only a test has.
	Test *Test `json:"test,omitempty"`
	// Experiment is set for a run of an experiment. Scenario is then the id of the
	// experiment, Parameters are its parameters, and Lock is the name of a variant.
	Experiment *Experiment `json:"experiment,omitempty"`
	// Seed and Schedule identify the random tape that first found it: number Schedule of the search with that seed. A negative
	// Schedule means no search; such a trace can be shown, but not read back, unless it is of a real run, whose Schedule is
	// -1.
	Seed     uint64 `json:"seed"`
	Schedule int    `json:"schedule"`
	// Strategy is the strategy of that search. It is empty for an exhaustive search;
	// Schedule is then the number in its order.
	Strategy string `json:"strategy,omitempty"`
	// Property is the violated property for which the trace was kept, empty if there is
	// none. Limit is set if its verdict is a limit of leases, not a fault of the lock.
	Property string `json:"property,omitempty"`
	Limit    bool   `json:"limit,omitempty"`

	// Shrunk describes the run before shrinking, and Attribution what the counterexample
	// needs; nil if unknown.
	Shrunk      *Shrunk      `json:"shrunk,omitempty"`
	Attribution *Attribution `json:"attribution,omitempty"`

	// Confirmations are the results of making the violation happen on real servers, none if that was not tried. They are not
	// in the hash. [Trace.Confirm] adds one.
	Confirmations []Confirmation `json:"confirmations,omitempty"`
	// Real is set if the run itself was made on real servers.
	Real *Real `json:"real,omitempty"`
	// Attached is set if the clients of that run were foreign processes, which can be run again.
	Attached *Attached `json:"attached,omitempty"`

	// Trouble is set if the run did not finish. The trace then has only the tape up to that point.
	Trouble *Trouble `json:"trouble,omitempty"`

	// Actors are the lanes of the picture, in order.
	Actors []Actor `json:"actors"`

	Tape   []sim.Choice `json:"tape"`
	Events []sim.Event  `json:"events"`
	// Gaps are the events that the trace leaves out, in order: see [Trace.Bounded].
	Gaps []Gap `json:"gaps,omitempty"`
	// Remarks are about its events. They are not in the hash, and a replay need not repeat them.
	Remarks  []sim.Remark    `json:"remarks,omitempty"`
	History  model.History   `json:"history"`
	Verdicts []model.Verdict `json:"verdicts"`
	// Properties describe the properties of the verdicts; nil in traces from before descriptions existed. [Trace.Description]
	// handles both.
	Properties []Property `json:"properties,omitempty"`
	// Hash is the rolling hash over events, history and verdicts, in hex.
	Hash string `json:"hash"`
}

// Test is a test that calls Check or Explore with its own lock.
type Test struct {
	// Name is the test's name as go test prints it. Package is the import path of its
	// package, without the suffix _test.
	Name    string `json:"name"`
	Package string `json:"package"`
	// Call is the number of the call in the test, from 1.
	Call int `json:"call"`
}

// Experiment is the part of an experiment's run in a trace.
type Experiment struct {
	// Until is when the run was cut, 0 if it was not. A run with another cut is the same up to there.
	Until time.Duration `json:"untilNanos,omitempty"`
	// From is when the picture begins.
	From time.Duration `json:"fromNanos,omitempty"`
}

// Shrunk describes a counterexample before shrinking.
type Shrunk struct {
	// Parameters are those of the search that found it.
	Parameters []Parameter `json:"parameters"`
	// From is its number of deviations from calm before shrinking, To the number after, and Runs the number of runs used.
	From int `json:"from"`
	To   int `json:"to"`
	Runs int `json:"runs"`
	// Exhausted is set if the budget ended before everything was tried.
	Exhausted bool `json:"exhausted,omitempty"`
}

// Attribution is what a counterexample needs, and which remedies prevent it.
type Attribution struct {
	Deviations []Deviation `json:"deviations"`
	Remedies   []Remedy    `json:"remedies"`
}

// Deviation is a choice of the tape that differs from the calm one.
type Deviation struct {
	// Decision identifies the decision, and Option is the choice.
	Decision string `json:"decision"`
	Option   int    `json:"option"`
	// Seq is the event that shows it, zero if none does.
	Seq int64 `json:"seq,omitempty"`
	// Text describes it: "n1 crashes".
	Text string `json:"text"`
	// Needed is set if the violation disappears when only this choice becomes calm. For a fault, a limit of the same property
	// may remain.
	Needed bool `json:"needed"`
	// Untried is set if the budget ended before the run without it.
	Untried bool `json:"untried,omitempty"`
}

// Remedy is a change that might prevent the violation.
type Remedy struct {
	// Text describes it: "the lock setpx-wait".
	Text string `json:"text"`
	// Gone is set if the violation was not found with the remedy in Schedules schedules. These include all with at most Bound
	// deviations (-1: not even the calm one). For a fault, limits of the same property may remain.
	Gone      bool `json:"gone"`
	Schedules int  `json:"schedules"`
	Bound     int  `json:"bound"`
	// Trouble is why that search did not finish, empty if it did.
	Trouble string `json:"trouble,omitempty"`
	// Except is why the remedy does not apply, so that nothing was searched: the property does not apply with it, or the lock
	// has no lease that could be longer.
	Except string `json:"except,omitempty"`
	// Note is a caveat about Gone.
	Note string `json:"note,omitempty"`
}

// Trouble is the end of a run that did not finish.
type Trouble struct {
	// Kind is one word, such as "crashed". Reason is a sentence.
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	// Stack is the output at the end, such as a panic's stack, empty if none was kept.
	Stack string `json:"stack,omitempty"`
	// Leaked is set if the run itself ended and was judged, but left goroutines behind. Traces of older versions never have
	// it.
	Leaked bool `json:"leaked,omitempty"`
}

// Versions are the versions that an identical replay depends on, by name: "lockpick",
// "go", and the client libraries of the store.
type Versions map[string]string

// Equal reports whether the versions are the same.
func (v Versions) Equal(other Versions) bool { return maps.Equal(v, other) }

// String lists the versions, Lockpick's and Go's first.
func (v Versions) String() string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(v)), func(name string) bool { return name == "lockpick" || name == "go" })
	var parts []string
	for _, name := range append([]string{"lockpick", "go"}, names...) {
		parts = append(parts, name+" "+cmp.Or(strings.TrimPrefix(v[name], "go"), "(unknown)"))
	}
	return strings.Join(parts, ", ")
}

// Parameter is one parameter of the scenario, as on the command line.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ActorKind is the kind of an actor.
type ActorKind string

// The kinds of actors.
const (
	ClientActor   ActorKind = "client"
	NodeActor     ActorKind = "node"    // of the store
	ElectorActor  ActorKind = "elector" // has no records, and elects the serving node with others
	ResourceActor ActorKind = "resource"
)

// Actor is one lane of a trace.
type Actor struct {
	Name string    `json:"name"`
	Kind ActorKind `json:"kind"`
	// Noun is the store's noun for an elector, such as "sentinel".
	Noun string `json:"noun,omitempty"`
	// Server is the number of a node's independent server, from 1, if there are several. The first node of each server serves
	// first.
	Server int `json:"server,omitempty"`
	// Store is the ID of a node's store, and Terms are its nouns, if the run has several stores.
	Store string       `json:"store,omitempty"`
	Terms *model.Terms `json:"terms,omitempty"`
}

// StoreOf returns the ID of the store at one of the ends of an event's connection.
func (t *Trace) StoreOf(e *sim.Event) string {
	for i := range t.Actors {
		if a := &t.Actors[i]; a.Store != "" && (a.Name == e.Actor || a.Name == e.Peer) {
			return a.Store
		}
	}
	return t.Store
}

// Violation returns the violation for which the trace was kept, the zero value if there is none.
func (t *Trace) Violation() model.Violation {
	if t.Property == "" {
		return model.Violation{}
	}
	return model.Violation{Property: t.Property, Limit: t.Limit}
}

// Reclassified returns a sentence if the trace, a replay of old, violates the same property in another class: as a limit
// instead of a fault, or the reverse. It returns "" otherwise.
func (t *Trace) Reclassified(old *Trace) string {
	v := t.Verdict()
	if v == nil || v.Status != model.Violated || v.Property != old.Property || v.Limit == old.Limit {
		return ""
	}
	now := v.Violation()
	return fmt.Sprintf("%s was recorded as a %s, and this run violates it as a %s", old.Property, old.Violation().Class(), now.Class())
}

// Verdict returns the verdict on the property that the trace was kept for, or nil.
func (t *Trace) Verdict() *model.Verdict {
	for i := range t.Verdicts {
		if t.Verdicts[i].Property == t.Property && t.Property != "" {
			return &t.Verdicts[i]
		}
	}
	return nil
}
