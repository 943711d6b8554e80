package sim

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
)

// DefaultWindow is the grain of virtual time if a [Config] says nothing else.
const DefaultWindow = 20 * time.Microsecond

// Config says how to run a world.
type Config struct {
	// Tape answers every decision of the run; nil means [Calm].
	Tape Tape
	// Record keeps the events and the choices in the report. Without it a
	// run is only hashed, which is cheaper.
	Record bool
	// MaxEvents ends the run after so many events (default 50,000), and
	// Horizon after so much virtual time (default one hour); the report then
	// says so in Cut. They are for runs that would go on for ever.
	MaxEvents int64
	Horizon   time.Duration
	// Window is the grain of virtual time (default 20 us): events are due at
	// whole multiples of it, late by less than that, and the order of those
	// that are due together is a decision. A window should have room for its
	// events: one in each microsecond.
	Window time.Duration
	// Trail makes the report tell what depends on what.
	Trail bool
	// Progress, if set, grows with every step of the conductor. A watchdog
	// outside the bubble can tell from it whether the run still moves.
	Progress *atomic.Int64
}

// Report is what came of a run.
type Report struct {
	// Events and Choices are set if Config.Record was.
	Events  []Event
	Choices []Choice
	// EventCount is how many events happened, and Simulated how much virtual
	// time passed: until the last event, or the limit that cut the run.
	EventCount int64
	Simulated  time.Duration
	// Hash is the rolling hash over all events: equal hashes, equal runs.
	Hash uint64
	// Trail is set if Config.Trail was.
	Trail *Trail
	// Cut says which limit ended the run, if one did.
	Cut string
	// Failure is set if code of the run panicked, or goroutines were left
	// over that could not end. The rest of the report covers what happened
	// until then.
	Failure *Failure
}

// Failure is a run that ended otherwise than by its own accord.
type Failure struct {
	// Actor is whose goroutine it was, or to whom the event was happening,
	// empty if that is not known.
	Actor string
	// Reason says what happened, in one line.
	Reason string
	// Panic is the value of the panic, nil if there was none. A tape that has
	// given the run up finds its own there, to panic with it again.
	Panic any `json:"-"`
	// Stack is the stack of the panic, or of what was left over.
	Stack string
	// Leaked is set if the run itself went through, and goroutines were left
	// over afterwards.
	Leaked bool
}

func (f *Failure) Error() string { return f.Reason }

// World is one simulated world during its run. Its methods may be called from
// the set-up function and from the functions that the conductor calls (event
// handlers, injectors, emissions); where another goroutine may call one, the
// method says so.
type World struct {
	config Config
	bubble *bubble
	tape   Tape

	actors    []*Actor
	byName    map[string]*Actor
	conductor *Actor
	net       *Network
	injectors []Injector
	seed      uint64

	queue     queue
	scheduled int64
	vital     int
	committed *pending
	stranded  []*pending // of crashed processes: they will not happen
	acting    *Actor     // to whom the present event happens
	turning   []*Process // some of whose goroutines have asked for their turn
	inbox     inbox
	steps     atomic.Int64 // in which all came to rest, so far; goroutines read it

	settingUp  bool
	now        time.Duration // of the present window
	moment     time.Duration // on package time's clock, within the window or soon after
	last       time.Duration // the moment of the last event
	end        time.Duration // when the run ended
	asked      int           // decisions so far
	final      time.Duration // the window in which all was done
	upcoming   *pending      // that a decision is asked about
	travelling *Actor        // to whom the segment goes whose latency is asked
	asking     []Candidate   // of the present order decision
	trail      *Trail
	seq        int64
	hash       uint64
	events     []Event
	choices    []Choice
	shown      shown
	workloads  int
	begun      int // workloads, of which some may be over
	cut        string
	failure    *Failure
	ended      chan struct{} // closed when the run is over and the world drains
	closers    []func()
	watchers   []func(Fault)
}

// Run builds a world with setUp and runs it to its end: until every workload
// (see [Process.Go]) is done and nothing is in flight any more, or a limit is
// reached. It returns when all goroutines of the run have ended.
//
// One run at a time: Run holds the process-wide random sources, and a second
// call waits. For parallel runs use several processes.
func Run(c Config, setUp func(*World)) Report {
	w := newWorld(c)
	guard(func() {
		w.seed = w.choose(Decision{Kind: Seed, Actor: w.conductor.name, Options: seedOptions})
	}, w.fail)
	if w.failure == nil {
		w.run(setUp)
	}
	return w.report()
}

// run is the run itself, in its bubble.
func (w *World) run(setUp func(*World)) {
	defer seedGlobals(w.seed)()
	err := inBubble(func(b *bubble) {
		w.bubble, w.ended = b, make(chan struct{})
		apart(func() {
			stretch()
			guard(func() {
				w.settingUp = true
				setUp(w)
				w.settingUp = false
				w.conduct()
			}, w.fail)
		})
		w.drain()
	})
	if err == nil {
		return
	}
	f := &Failure{Reason: err.Error(), Leaked: strings.HasPrefix(err.Error(), "deadlock")}
	if f.Leaked {
		f.Stack = leftOver()
	}
	w.fail(f)
}

// apart calls f in a goroutine of its own, since f may end its goroutine by
// runtime.Goexit, as t.FailNow does, and waits for it.
func apart(f func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		f()
	}()
	<-over
}

// seedOptions is how many seeds a tape can choose from.
const seedOptions = 1 << 30

func newWorld(c Config) *World {
	if c.Tape == nil {
		c.Tape = Calm{}
	}
	if c.MaxEvents == 0 {
		c.MaxEvents = 50_000
	}
	if c.Horizon == 0 {
		c.Horizon = time.Hour
	}
	if c.Window == 0 {
		c.Window = DefaultWindow
	}
	if c.Progress == nil {
		c.Progress = new(atomic.Int64)
	}
	w := &World{
		config: c,
		tape:   c.Tape,
		byName: map[string]*Actor{},
		hash:   fnvOffset,
		final:  forEver,
	}
	if c.Trail {
		w.trail = &Trail{loosely: -1}
	}
	w.conductor = w.NewActor("world")
	w.net = newNetwork(w)
	return w
}

func (w *World) report() Report {
	w.trail.close(w.asked)
	return Report{
		Trail:      w.trail,
		Events:     w.events,
		Choices:    w.choices,
		EventCount: w.seq,
		Simulated:  max(w.now, w.end),
		Hash:       w.hash,
		Cut:        w.cut,
		Failure:    w.failure,
	}
}

// NewActor adds an actor. Names are unique; their order of creation is the
// order of the actors everywhere.
func (w *World) NewActor(name string) *Actor {
	if w.byName[name] != nil {
		panic(fmt.Sprintf("sim: a second actor named %q", name))
	}
	if len(w.actors) == slots {
		panic(fmt.Sprintf("sim: more than %d actors", slots))
	}
	a := &Actor{world: w, id: len(w.actors), name: name, asked: map[Kind]int{}}
	w.actors = append(w.actors, a)
	w.byName[name] = a
	return a
}

// Network returns the world's network.
func (w *World) Network() *Network { return w.net }

// Now is the virtual time since the run's start, in whole windows.
func (w *World) Now() time.Duration { return w.now }

// Choose asks the tape. Occurrence is filled in; the answer is below
// d.Options.
func (w *World) Choose(d Decision) int { return int(w.choose(d)) }

func (w *World) choose(d Decision) uint64 {
	if d.Options < 2 {
		return 0
	}
	a := w.byName[d.Actor]
	if a == nil {
		panic(fmt.Sprintf("sim: a decision for %q, who is no actor", d.Actor))
	}
	d.Occurrence = a.asked[d.Kind]
	a.asked[d.Kind]++
	d.Site, d.Turn = w.site(a)
	w.asked++
	option := w.tape.Choose(d)
	if option < 0 || option >= d.Options {
		panic(fmt.Sprintf("sim: the tape chose option %d of %s, which has %d", option, d.ID(), d.Options))
	}
	w.trail.chose(&d, option)
	if w.config.Record {
		w.choices = append(w.choices, Choice{
			Kind: d.Kind, Actor: d.Actor, Occurrence: d.Occurrence, Options: d.Options, Option: option, After: w.seq,
		})
		w.shown.chose(&d, option, len(w.choices))
	}
	return uint64(option)
}

// Log adds an event at the present instant and returns it with its number and
// time filled in. When the run has ended, nothing is logged any more.
func (w *World) Log(e Event) Event {
	if w.draining() {
		return e
	}
	w.seq++
	w.last = w.moment
	w.trail.logged(e.Kind)
	e.Seq, e.At = w.seq, w.now
	h := hashUint(w.hash, uint64(e.At))
	h = hashString(hashString(hashString(h, string(e.Kind)), e.Actor), e.Peer)
	h = hashUint(hashUint(h, uint64(e.Conn)), uint64(e.Sent))
	w.hash = hashBytes(hashString(h, e.Detail), e.Payload)
	if w.config.Record {
		w.show(&e)
		w.events = append(w.events, e)
	}
	return e
}

// At schedules fire for the actor at time t, or, if a window has begun before
// it, with the next one. A vital event is waited for at the end of the run; a
// gated one waits while its process is paused. The returned function cancels
// it; both are for the conductor.
func (w *World) At(a *Actor, t time.Duration, k EventKind, o EventOptions, fire func()) (cancel func()) {
	p := w.schedule(&pending{at: t, kind: k, actor: a, gated: o.Gated, vital: o.Vital, fire: fire})
	return func() { w.discard(p) }
}

// EventOptions are properties of a scheduled event.
type EventOptions struct{ Vital, Gated bool }

func (w *World) schedule(p *pending) *pending {
	if p.from == nil {
		p.from = p.actor
		if w.acting != nil {
			p.from = w.acting
		}
	}
	if p.vital {
		w.vital++
	}
	w.enqueue(p, max(p.at, w.now))
	p.serial = p.order
	p.cause, p.nth = w.trail.origin()
	if p.kind == EventFault || p.kind == EventReset {
		p.strike = w.shown.strike
	}
	return p
}

// enqueue puts an event into the queue, behind those of its actor that are due
// in the same window already.
func (w *World) enqueue(p *pending, at time.Duration) {
	w.scheduled++
	p.order = w.scheduled
	p.at = w.ceil(min(at, forEver))
	w.queue.add(p)
}

// window is the beginning of the present window. Any goroutine of the run may
// ask.
func (w *World) window() time.Duration { return w.floor(w.bubble.now()) }

// floor is the beginning of the window in which t is, and ceil that of the
// first one that does not begin before t.
func (w *World) floor(t time.Duration) time.Duration { return t - t%w.config.Window }

func (w *World) ceil(t time.Duration) time.Duration { return w.floor(t + w.config.Window - 1) }

// forEver is a time that does not come: beyond any horizon, and yet so that
// times a little later can still be told.
const forEver = time.Duration(1 << 62)

// later is t+d, at most for ever.
func later(t, d time.Duration) time.Duration {
	if d > forEver-t {
		return forEver
	}
	return t + d
}

// discard takes an event out of the queue for good, if it is there.
func (w *World) discard(p *pending) {
	if p.index < 0 {
		return
	}
	w.queue.remove(p)
	if p.vital {
		w.vital--
	}
	if p == w.committed {
		w.committed = nil
	}
}

// draining reports whether the run has ended. Any goroutine of the run may
// ask.
func (w *World) draining() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// fail keeps the first failure.
func (w *World) fail(f *Failure) {
	if f.Actor == "" && w.acting != nil {
		f.Actor = w.acting.name
	}
	if w.failure == nil {
		w.failure = f
	}
}

// guard calls f. If f panics, or ends its goroutine, failed is told.
func guard(f func(), failed func(*Failure)) {
	returned := false
	defer func() {
		if returned {
			return
		}
		reason := "the goroutine was ended by runtime.Goexit, as t.FailNow does"
		p := recover()
		if p != nil {
			reason = fmt.Sprintf("panic: %v", p)
		}
		failed(&Failure{Reason: reason, Panic: p, Stack: string(debug.Stack())})
	}()
	f()
	returned = true
}

// failed makes a failure of one of the actor's goroutines a failure of the
// run. It reaches the conductor as an emission, so that it does not depend on
// the scheduler which of several failures is the first. What goroutines of a
// crashed process do when the world drains, nobody does.
func (a *Actor) failed(f *Failure) {
	if a.process != nil {
		f.Actor = a.name
	}
	a.emit(laneFailure, int64(hashString(fnvOffset, f.Reason)>>1), func() {
		if a.process == nil || !a.process.crashed {
			a.world.fail(f)
		}
	})
}

// OnEnd registers a function that is called when the run has ended and the
// world drains: close clients here. It runs in a goroutine of its own.
func (w *World) OnEnd(f func()) { w.closers = append(w.closers, f) }
