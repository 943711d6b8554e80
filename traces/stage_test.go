package traces

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	_ "github.com/lockpick-dev/lockpick/sim/simredis" // says what its segments carry
)

// stage builds a trace by hand: things happen on it at given times, in any
// order of the calls, and build numbers them.
type stage struct {
	t       *Trace
	entries []*entry
	ops     []*model.Operation
	seen    []*model.Observation
	conns   int
}

// entry is one event to be, and the stamps that want its number.
type entry struct {
	event  sim.Event
	stamps []*model.Stamp
}

const (
	us = time.Microsecond
	ms = time.Millisecond
)

func newStage(scenario, lock string, clients int) *stage {
	t := &Trace{
		Schema: Schema, Made: Versions{Lockpick: "v0.1.0", Go: "go1.26.8", GoRedis: "v9.7.0"},
		Scenario: scenario, Lock: lock, Seed: 42, Schedule: 17,
		Parameters: []Parameter{{"clients", fmt.Sprint(clients)}, {"ttl", "2s"}},
		Hash:       "9c1185a5c5e9fc54",
		History:    model.History{LockName: "lock", TTL: 2 * time.Second},
	}
	for i := range clients {
		t.Actors = append(t.Actors, Actor{Name: fmt.Sprintf("c%d", i+1), Kind: ClientActor})
	}
	t.Actors = append(t.Actors, Actor{Name: "redis1", Kind: RedisActor}, Actor{Name: "redis2", Kind: RedisActor}, Actor{Name: "register", Kind: ResourceActor})
	return &stage{t: t}
}

func (s *stage) event(at time.Duration, e sim.Event, stamps ...*model.Stamp) {
	e.At = at
	s.entries = append(s.entries, &entry{e, stamps})
}

// call and answer are the two ends of an operation. Calls come in the order
// of their times.
func (s *stage) call(at time.Duration, client string, kind model.OpKind, acquisition *model.Operation) *model.Operation {
	o := &model.Operation{ID: len(s.ops) + 1, Client: client, Kind: kind, Result: model.Unknown}
	o.Acquisition = o.ID
	if acquisition != nil {
		o.Acquisition = acquisition.ID
	}
	s.ops = append(s.ops, o)
	s.event(at, sim.Event{Kind: sim.EventMark, Actor: client, Detail: "calls " + string(kind)}, &o.Call)
	return o
}

func (s *stage) answer(at time.Duration, o *model.Operation, result model.Outcome) *model.Operation {
	o.Result = result
	s.event(at, sim.Event{Kind: sim.EventMark, Actor: o.Client, Detail: string(o.Kind) + ": " + string(result)}, &o.Return)
	return o
}

// see is an observation.
func (s *stage) see(at time.Duration, o model.Observation) *model.Observation {
	seen := &o
	s.seen = append(s.seen, seen)
	kind := sim.EventNote
	switch o.Kind {
	case model.Paused, model.Resumed, model.Crashed, model.Returned, model.Promoted, model.Delayed,
		model.ReplyLost, model.ClockJumped, model.ClockOff:
		kind = sim.EventFault
	}
	detail := string(o.Kind)
	if o.Key != "" {
		detail += " " + o.Key + " = " + o.Value
	}
	if o.For > 0 {
		detail += " for " + o.For.String()
	}
	s.event(at, sim.Event{Kind: kind, Actor: o.Node, Detail: detail}, &seen.Stamp)
	return seen
}

// send is a segment that arrives after a while; lost ones are dropped then.
func (s *stage) send(at time.Duration, from, to string, conn int, payload []byte, takes time.Duration, late bool) time.Duration {
	if late {
		s.see(at, model.Observation{Node: from, Kind: model.Delayed, For: takes})
	}
	s.event(at+takes, sim.Event{Kind: sim.EventDeliver, Actor: to, Peer: from, Conn: conn, Sent: at, Late: late, Payload: payload})
	return at + takes
}

func (s *stage) lose(at time.Duration, from, to string, conn int, payload []byte, takes time.Duration, why string) {
	s.event(at+takes, sim.Event{Kind: sim.EventDrop, Actor: to, Peer: from, Conn: conn, Sent: at, Payload: payload, Detail: why})
}

// ask is a request and its reply, and returns when each arrives.
func (s *stage) ask(at time.Duration, client, node string, conn int, request, reply []byte) (there, back time.Duration) {
	jitter := time.Duration(len(s.entries)*37%90) * us
	there = s.send(at, client, node, conn, request, 260*us+jitter, false)
	back = s.send(there+25*us, node, client, conn, reply, 270*us+jitter/2, false)
	return there, back
}

// connect is the hand-shake of a client library.
func (s *stage) connect(at time.Duration, client, node string) (conn int, ready time.Duration) {
	s.conns++
	conn = s.conns
	s.event(at+300*us, sim.Event{Kind: sim.EventDial, Actor: node, Peer: client, Conn: conn})
	_, back := s.ask(at+600*us, client, node, conn, command("hello", "2"), []byte("*2\r\n$6\r\nserver\r\n$5\r\nredis\r\n"))
	setinfo := append(command("client", "setinfo", "LIB-NAME", "go-redis"), command("client", "setinfo", "LIB-VER", "9.7.0")...)
	_, back = s.ask(back+20*us, client, node, conn, setinfo, []byte("+OK\r\n+OK\r\n"))
	return conn, back + 30*us
}

// grant is SET NX PX that succeeds on a node: the key is there when it
// arrives, and on the replica, if there is one, a little later.
func (s *stage) grant(at time.Duration, a *model.Operation, conn int, node, replica, value string) (there, back time.Duration) {
	there, back = s.ask(at, a.Client, node, conn, command("set", "lock", value, "px", "2000", "nx"), []byte("+OK\r\n"))
	owner := model.Origin{Client: a.Client, Conn: conn, Op: a.ID}
	created := model.Observation{
		Node: node, Kind: model.KeyCreated, Primary: true, Key: "lock", Value: value,
		Owner: owner, By: owner, ExpiresAt: there + 5*us + s.t.History.TTL,
	}
	s.see(there+5*us, created)
	if replica != "" {
		created.Node, created.Primary = replica, false
		arrives := s.send(there+40*us, node, replica, 0, command("set", "lock", value, "pxat", "2000"), 900*us, false)
		s.see(arrives+5*us, created)
	}
	return there, back
}

// deny is SET NX PX that finds the lock taken.
func (s *stage) deny(at time.Duration, client string, conn int, node, value string) {
	s.ask(at, client, node, conn, command("set", "lock", value, "px", "2000", "nx"), []byte("$-1\r\n"))
}

// access is one access of the register, and returns when the answer is there.
func (s *stage) access(at time.Duration, a *model.Operation, conn int, kind model.OpKind, value int64) time.Duration {
	o := s.call(at, a.Client, kind, a)
	o.Value = value
	request, seen := fmt.Sprintf("%s %d", kind, value), model.ResourceRead
	if kind == model.Write {
		seen = model.ResourceWritten
	}
	there, back := s.ask(at+20*us, a.Client, "register", conn, []byte(request), []byte(fmt.Sprint(value)))
	by := model.Origin{Client: a.Client, Conn: conn, Op: o.ID}
	s.see(there+5*us, model.Observation{Node: "register", Kind: seen, By: by, Number: value})
	s.answer(back+5*us, o, model.OK)
	return back + 5*us
}

// build numbers what happened.
func (s *stage) build() *Trace {
	slices.SortStableFunc(s.entries, func(a, b *entry) int { return int(a.event.At - b.event.At) })
	for i, e := range s.entries {
		e.event.Seq = int64(i + 1)
		s.t.Events = append(s.t.Events, e.event)
		for _, stamp := range e.stamps {
			*stamp = model.Stamp{Seq: e.event.Seq, At: e.event.At}
		}
	}
	for _, o := range s.ops {
		s.t.History.Operations = append(s.t.History.Operations, *o)
	}
	slices.SortStableFunc(s.seen, func(a, b *model.Observation) int { return int(a.Seq - b.Seq) })
	for _, o := range s.seen {
		s.t.History.Observations = append(s.t.History.Observations, *o)
	}
	last := s.t.Events[len(s.t.Events)-1]
	s.t.History.End = model.Stamp{Seq: last.Seq, At: last.At}
	for i, a := range s.t.Actors {
		s.t.Tape = append(s.t.Tape, sim.Choice{Kind: sim.Delay, Actor: a.Name, Occurrence: 3 * i, Options: 3, Option: i % 3})
	}
	return s.t
}

// command is a request in RESP.
func command(words ...string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	return []byte(b.String())
}
