package sampletraces

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	_ "github.com/lockpick-dev/lockpick/sim/simredis" // says what its segments carry
	"github.com/lockpick-dev/lockpick/traces"
)

// Stage builds a trace by hand: things happen on it at given times, added in any order, and Build numbers them.
type Stage struct {
	// T is the trace; Build fills in the events.
	T *traces.Trace
	// Ops are the operations, in the order of their calls.
	Ops []*model.Operation

	entries []*entry
	seen    []*model.Observation
	conns   int
}

// entry is a future event, and the stamps that get its number.
type entry struct {
	event  sim.Event
	stamps []*model.Stamp
}

const (
	us = time.Microsecond
	ms = time.Millisecond
)

// terms are the terms of Redis, the store of all samples.
var terms = model.Terms{Store: "Redis", Node: "Redis node", Serving: "primary", Follower: "replica", Record: "key"}

// NewStage makes a stage for a number of clients, with a primary, redis1, its replica, redis2, and a register.
func NewStage(scenario, lock string, clients int) *Stage {
	t := &traces.Trace{
		Schema: traces.Schema, Made: traces.Versions{"lockpick": "v0.1.0", "go": "go1.26.8", "go-redis": "v9.7.0"},
		Scenario: scenario, Lock: lock, Store: "redis", Terms: terms, Seed: 42, Schedule: 17,
		Parameters: []traces.Parameter{{Name: "clients", Value: fmt.Sprint(clients)}, {Name: "ttl", Value: "2s"}},
		Hash:       "9c1185a5c5e9fc54",
		History:    model.History{LockName: "lock", TTL: 2 * time.Second},
	}
	for i := range clients {
		t.Actors = append(t.Actors, traces.Actor{Name: fmt.Sprintf("c%d", i+1), Kind: traces.ClientActor})
	}
	t.Actors = append(t.Actors, traces.Actor{Name: "redis1", Kind: traces.NodeActor}, traces.Actor{Name: "redis2", Kind: traces.NodeActor}, traces.Actor{Name: "register", Kind: traces.ResourceActor})
	return &Stage{T: t}
}

// Event adds an event, whose number the stamps get.
func (s *Stage) Event(at time.Duration, e sim.Event, stamps ...*model.Stamp) {
	e.At = at
	s.entries = append(s.entries, &entry{e, stamps})
}

// Call adds the beginning of an operation, and [Stage.Answer] its end. Add calls in
// the order of their times.
func (s *Stage) Call(at time.Duration, client string, kind model.OpKind, acquisition *model.Operation) *model.Operation {
	o := &model.Operation{ID: len(s.Ops) + 1, Client: client, Kind: kind, Result: model.Unknown}
	o.Acquisition = o.ID
	if acquisition != nil {
		o.Acquisition = acquisition.ID
	}
	s.Ops = append(s.Ops, o)
	s.Event(at, sim.Event{Kind: sim.EventMark, Actor: client, Detail: "calls " + string(kind)}, &o.Call)
	return o
}

// Answer adds the end of an operation.
func (s *Stage) Answer(at time.Duration, o *model.Operation, result model.Outcome) *model.Operation {
	o.Result = result
	s.Event(at, sim.Event{Kind: sim.EventMark, Actor: o.Client, Detail: string(o.Kind) + ": " + string(result)}, &o.Return)
	return o
}

// See adds an observation.
func (s *Stage) See(at time.Duration, o model.Observation) *model.Observation {
	seen := &o
	s.seen = append(s.seen, seen)
	kind := sim.EventNote
	switch o.Kind {
	case model.Paused, model.Resumed, model.Crashed, model.Returned, model.Promoted, model.Delayed,
		model.ReplyLost, model.ClockJumped, model.ClockOff:
		kind = sim.EventFault
	}
	detail := string(o.Kind)
	if o.Note != nil {
		kind, detail = sim.EventInfo, o.Note.Event
	}
	if o.Key != "" {
		detail += " " + o.Key + " = " + o.Value
	}
	if o.For > 0 {
		detail += " for " + o.For.String()
	}
	s.Event(at, sim.Event{Kind: kind, Actor: o.Node, Detail: detail}, &seen.Stamp)
	return seen
}

// Send adds a segment that arrives after a while.
func (s *Stage) Send(at time.Duration, from, to string, conn int, payload []byte, takes time.Duration, late bool) time.Duration {
	if late {
		s.See(at, model.Observation{Node: from, Kind: model.Delayed, For: takes})
	}
	s.Event(at+takes, sim.Event{Kind: sim.EventDeliver, Actor: to, Peer: from, Conn: conn, Sent: at, Late: late, Payload: payload})
	return at + takes
}

// Lose adds a segment that is dropped when it should have arrived.
func (s *Stage) Lose(at time.Duration, from, to string, conn int, payload []byte, takes time.Duration, why string) {
	s.Event(at+takes, sim.Event{Kind: sim.EventDrop, Actor: to, Peer: from, Conn: conn, Sent: at, Payload: payload, Detail: why})
}

// Ask adds a request and its reply, and returns when each arrives.
func (s *Stage) Ask(at time.Duration, client, node string, conn int, request, reply []byte) (there, back time.Duration) {
	jitter := time.Duration(len(s.entries)*37%90) * us
	there = s.Send(at, client, node, conn, request, 260*us+jitter, false)
	back = s.Send(there+25*us, node, client, conn, reply, 270*us+jitter/2, false)
	return there, back
}

// Connect adds the hand-shake of a client library.
func (s *Stage) Connect(at time.Duration, client, node string) (conn int, ready time.Duration) {
	s.conns++
	conn = s.conns
	s.Event(at+300*us, sim.Event{Kind: sim.EventDial, Actor: node, Peer: client, Conn: conn})
	_, back := s.Ask(at+600*us, client, node, conn, Command("hello", "2"), []byte("*2\r\n$6\r\nserver\r\n$5\r\nredis\r\n"))
	setinfo := append(Command("client", "setinfo", "LIB-NAME", "go-redis"), Command("client", "setinfo", "LIB-VER", "9.7.0")...)
	_, back = s.Ask(back+20*us, client, node, conn, setinfo, []byte("+OK\r\n+OK\r\n"))
	return conn, back + 30*us
}

// Grant adds SET NX PX that succeeds on a node: the key is there when it
// arrives, and on the replica, if there is one, a little later.
func (s *Stage) Grant(at time.Duration, a *model.Operation, conn int, node, replica, value string) (there, back time.Duration) {
	there, back = s.Ask(at, a.Client, node, conn, Command("set", "lock", value, "px", "2000", "nx"), []byte("+OK\r\n"))
	owner := model.Origin{Client: a.Client, Conn: conn, Op: a.ID}
	created := model.Observation{
		Node: node, Kind: model.RecordCreated, Authority: node, Key: "lock", Value: value,
		Owner: owner, By: owner, ExpiresAt: there + 5*us + s.T.History.TTL,
	}
	s.See(there+5*us, created)
	if replica != "" {
		created.Node, created.Authority = replica, ""
		arrives := s.Send(there+40*us, node, replica, 0, Command("set", "lock", value, "pxat", "2000"), 900*us, false)
		s.See(arrives+5*us, created)
	}
	return there, back
}

// Deny adds SET NX PX that finds the lock taken.
func (s *Stage) Deny(at time.Duration, client string, conn int, node, value string) {
	s.Ask(at, client, node, conn, Command("set", "lock", value, "px", "2000", "nx"), []byte("$-1\r\n"))
}

// Access adds one access of the register, and returns when the answer is there.
func (s *Stage) Access(at time.Duration, a *model.Operation, conn int, kind model.OpKind, value int64) time.Duration {
	o := s.Call(at, a.Client, kind, a)
	o.Value = value
	request, seen := fmt.Sprintf("%s %d", kind, value), model.ResourceRead
	if kind == model.Write {
		seen = model.ResourceWritten
	}
	there, back := s.Ask(at+20*us, a.Client, "register", conn, []byte(request), []byte(fmt.Sprint(value)))
	by := model.Origin{Client: a.Client, Conn: conn, Op: o.ID}
	s.See(there+5*us, model.Observation{Node: "register", Kind: seen, By: by, Number: value})
	s.Answer(back+5*us, o, model.OK)
	return back + 5*us
}

// Build numbers the events and returns the trace.
func (s *Stage) Build() *traces.Trace {
	slices.SortStableFunc(s.entries, func(a, b *entry) int { return int(a.event.At - b.event.At) })
	for i, e := range s.entries {
		e.event.Seq = int64(i + 1)
		s.T.Events = append(s.T.Events, e.event)
		for _, stamp := range e.stamps {
			*stamp = model.Stamp{Seq: e.event.Seq, At: e.event.At}
		}
	}
	for _, o := range s.Ops {
		s.T.History.Operations = append(s.T.History.Operations, *o)
	}
	slices.SortStableFunc(s.seen, func(a, b *model.Observation) int { return int(a.Seq - b.Seq) })
	for _, o := range s.seen {
		s.T.History.Observations = append(s.T.History.Observations, *o)
	}
	last := s.T.Events[len(s.T.Events)-1]
	s.T.History.End = model.Stamp{Seq: last.Seq, At: last.At}
	for i, a := range s.T.Actors {
		s.T.Tape = append(s.T.Tape, sim.Choice{Kind: sim.Delay, Actor: a.Name, Occurrence: 3 * i, Options: 3, Option: i % 3})
	}
	return s.T
}

// Command returns a request in RESP.
func Command(words ...string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	return []byte(b.String())
}
