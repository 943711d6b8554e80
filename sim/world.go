package sim

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lockpick-dev/lockpick/sim/internal/bubble"
	"github.com/lockpick-dev/lockpick/sim/internal/digest"
	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// DefaultWindow is the unit of virtual time unless a [Config] sets another.
const DefaultWindow = 20 * time.Microsecond

// Config configures a run.
type Config struct {
	// Tape answers every decision of the run; nil means [Calm].
	Tape Tape
	// Record keeps the events and the choices in the report. Without it a
	// run is only hashed, which is cheaper.
	Record bool
	// MaxEvents is the number of events after which the run is cut (default 50,000),
	// and Horizon the virtual time (default one hour); [Report.Cut] then names the
	// limit. They end runs that would not end otherwise.
	MaxEvents int64
	Horizon   time.Duration
	// Enough, if not nil, lets a run of more than MaxEvents events go on until it returns
	// a reason to cut it; it is called at the end of each window. The run is also cut if a
	// second of virtual time has had MaxEvents events, since time hardly passes then. The
	// result must depend on the run alone.
	Enough func(now time.Duration) (why string)
	// Drain is the virtual time for which the goroutines of the run may go on after its
	// end (default five minutes: a client's dial retries outlive its Close by many
	// seconds). Those that have not ended by then are reported as leaked.
	Drain time.Duration
	// Window is the unit of virtual time (default 20 us). The times of events are
	// rounded up to multiples of it; the order of events that are due together is a
	// decision. A window should have room for its events: one in each microsecond.
	Window time.Duration
	// Ahead is the time by which package time's clock is ahead of the run's clocks, those of processes and of servers
	// (default 0). It shows which behaviour depends on package time, which is one clock for all of a run.
	Ahead time.Duration
	// Trail adds a [Trail] to the report.
	Trail bool
	// Printed, if not nil, returns output of the run's code since the last call, or a part of it; it is called until it
	// returns nothing. In recorded runs the output becomes remarks; in others Printed is not called.
	Printed func() []byte
	// Progress, if set, grows with every step of the conductor. A watchdog
	// outside the bubble can see from it whether the run still moves.
	Progress *atomic.Int64
}

// World is one simulated world during its run. Its methods may be called from
// the set-up function and from the functions that the conductor calls (event
// handlers, injectors, emissions); where another goroutine may call one, the
// method says so.
type World struct {
	config  Config
	tape    Tape
	selects SelectTape // the same, nil if it is none
	seed    uint64
	bubble  *bubble.Bubble

	actors    []*Actor
	byName    map[string]*Actor
	conductor *Actor
	injectors []Injector
	watchers  []func(Fault)
	closers   []func() // those of OnEnd

	// The network, and the constructor of a process's goroutines. Run sets both, since
	// the core knows only their interfaces.
	net           network
	newGoroutines func(*Process, ProcessOptions) goroutines

	// The events to come.
	queue     queue
	scheduled int64      // the number of events put into the queue so far
	vital     int        // the number of vital events in the queue
	committed *pending   // the event that was chosen to go first
	stranded  []*pending // events of crashed processes, which will not happen
	inbox     inbox      // the emissions of the present step
	stepEnd   []func()   // functions to call when all of them have been applied
	// applied is set if a goroutine has applied an emission itself, and more if the
	// conductor has to settle again at once.
	applied, more bool
	single        [1]emission // memory for it
	// Memory for the lists of ready.
	readyBuffer, takenBuffer []*pending

	// The present step.
	steps  atomic.Int64 // its number; any goroutine may read it
	acting *Actor       // the actor to which the present event happens
	// The draws of the Go runtime: the instant and the step of the last setDraws, and the present orders.
	drawn  [2]int64
	orders goruntime.Orders
	draws  goruntime.Draws
	timers goruntime.Timers
	// The decision that is being asked: the event that it precedes, or the receiver of
	// the segment whose latency it decides, and memory for its candidates.
	before          *pending
	travelling      *Actor
	candidateBuffer []Candidate

	// Times since the start of the run: the present window; package time, which is
	// within the window or soon after it; and package time at the last event.
	now, moment, last time.Duration

	// The phase of the run.
	settingUp bool
	// answersUnsupported is set by AnswerUnsupported.
	answersUnsupported bool
	workloads          int           // that have not returned
	final              time.Duration // the window in which the run was done, forEver before that
	second             time.Duration // of virtual time, of the last event
	earlier            int64         // the number of events before that second
	end                time.Duration // when the run ended
	ended              chan struct{} // closed when the run is over and the world drains

	// The contents of the report.
	seq            int64
	hash           uint64
	events         []Event
	decisions      int // that were asked, so far
	choices        []Choice
	effects        effects
	trail          *Trail
	cut            string
	failure        *Failure
	nondeterminism reasons
	served         map[uint64]struct{}
	remarks        []Remark
	printed        printed
}

// network is the network as the core sees it: see [Network].
type network interface {
	// sendGathered is called when all emissions of an actor's lane in a step have been
	// applied.
	sendGathered()
	// Crash and kill end the connections of a process that has ended.
	Crash(*Actor)
	kill(*Process)
	// shutDown ends all connections when the run is over.
	shutDown()
}

// Conductor is the name of the actor of decisions about the run as a whole.
const Conductor = "world"

// MaxName is the maximum length of an actor's name, in bytes.
const MaxName = 64

// IsName reports whether a text is a name of at most the given number of bytes: ASCII letters,
// digits, dots, hyphens and underscores, with a letter or a digit first.
func IsName(text string, most int) bool {
	if text == "" || len(text) > most || text[0] == '.' || text[0] == '-' || text[0] == '_' {
		return false
	}
	for _, c := range []byte(text) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_') {
			return false
		}
	}
	return true
}

// NewActor adds an actor. It panics unless the name is unique and [IsName] of at most
// [MaxName] bytes. The order of actors is always that of their creation.
func (w *World) NewActor(name string) *Actor {
	switch {
	case w.byName[name] != nil:
		panic(fmt.Sprintf("sim: two actors named %q", name))
	case !IsName(name, MaxName):
		panic(fmt.Sprintf("sim: %q is no name for an actor: want up to %d letters, digits, dots, hyphens and underscores", name, MaxName))
	}
	if len(w.actors) == slots {
		panic(fmt.Sprintf("sim: more than %d actors", slots))
	}
	a := &Actor{world: w, id: len(w.actors), name: name}
	w.actors = append(w.actors, a)
	w.byName[name] = a
	return a
}

// Now returns the virtual time since the run's start, in whole windows.
func (w *World) Now() time.Duration { return w.now }

// Logged returns the number of the last event of the log so far, 0 before the first.
func (w *World) Logged() int64 { return w.seq }

// An Actor is the target of events: a client process with its goroutines, a node of
// a store, the protected resource, a fault injector. One event wakes one actor.
//
// On package time's clock each actor owns one nanosecond in every microsecond, and its
// events happen on that nanosecond only. Timers that code under test sets with package
// time inherit it (their durations are whole microseconds, except random back-offs), so
// that timers of two actors are never due at the same instant, where the runtime would
// fire them in any order. Virtual time, which is in whole windows, does not show the
// nanosecond.
type Actor struct {
	world       *World
	id          int
	name        string
	occurrences []occurrences // of decisions so far, except those about orders
	orders      int           // the number of decisions about orders so far
	// process is set if the actor is a process.
	process *Process
	// occupied is the time until which it works, and sends nothing: see Serve.
	occupied time.Duration
	passive  bool // see Passive
}

// Name returns the actor's name, unique in its world.
func (a *Actor) Name() string { return a.name }

// Passive declares that the actor's events wake goroutines only by the network, as a simulated
// server's do, or after [World.CatchUp]. Package time then need not pass for its events, which would
// take longer than most of them. A run fails in which such an event wakes or starts a goroutine in
// another way. Only the conductor, including the set-up function, may call it.
func (a *Actor) Passive() { a.passive = true }

// CatchUp lets package time pass until the present of the run. An event of a passive actor must
// call it before it wakes or starts a goroutine. Only the conductor may call it.
func (w *World) CatchUp() { w.bubble.CatchUp() }

// slots is the most actors that a world can have.
const slots = int(time.Microsecond)

// slot returns the first instant not before t that belongs to the actor.
func (a *Actor) slot(t time.Duration) time.Duration {
	s := t - t%time.Microsecond + time.Duration(a.id)
	if s < t {
		s += time.Microsecond
	}
	return s
}

// Serve keeps the actor busy for d, after the work that it already has. Data that it
// sends meanwhile leaves when that work is done. A server that serves one request at a
// time calls Serve when a request arrives, and executes the request at once: either way
// requests are executed in the order of their arrival. Only the conductor may call it.
func (a *Actor) Serve(d time.Duration) { a.occupied = max(a.occupied, a.world.now) + d }

// EventKind is the kind of an event of the log.
type EventKind string

// The kinds of events.
const (
	EventDial    EventKind = "dial"    // a listener accepted a connection attempt, or the acceptance reached the dialer
	EventRefused EventKind = "refused" // the refusal of a connection attempt reached the dialer
	EventDeliver EventKind = "deliver" // a segment arrived: Actor received from Peer
	EventDrop    EventKind = "drop"    // a segment was lost, or arrived where nobody reads any more
	EventClose   EventKind = "close"   // the end of the peer's stream arrived
	EventReset   EventKind = "reset"   // the connection was reset
	EventTimeout EventKind = "timeout" // a read deadline or dial timeout ran out
	EventTimer   EventKind = "timer"   // a timer of the process's Clock fired
	EventStep    EventKind = "step"    // a workload started, or went on after a step, a pause or a wait for its turn
	EventMark    EventKind = "mark"    // a workload called or returned
	EventWork    EventKind = "work"    // a node acted at a time of its own: it executed its queue, a time-out passed, a record expired
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
	// Decision is the identity of the decision ([Decision.ID]) by which a fault struck,
	// if the event is that fault, a part of it, or its end. It is set in recorded runs
	// only, and is not part of their hash.
	Decision string `json:"decision,omitempty"`
	// Payload is the data of a segment.
	Payload []byte `json:"payload,omitempty"`
}

// Log adds an event at the present instant and returns it with its number and
// time filled in. When the run has ended, nothing is logged any more.
func (w *World) Log(e Event) Event {
	if w.draining() {
		return e
	}
	if e.Kind == EventFault {
		w.bubble.CatchUp() // it may wake goroutines of any process
	}
	if s := w.now.Truncate(time.Second); s != w.second {
		w.second, w.earlier = s, w.seq
	}
	w.seq++
	w.last = w.moment
	w.trail.logged(e.Kind)
	e.Seq, e.At = w.seq, w.now
	h := digest.Uint(w.hash, uint64(e.At))
	h = digest.String(digest.String(digest.String(h, string(e.Kind)), e.Actor), e.Peer)
	h = digest.Uint(digest.Uint(h, uint64(e.Conn)), uint64(e.Sent))
	w.hash = digest.Bytes(digest.String(h, e.Detail), e.Payload)
	if w.config.Record {
		w.noteEffects(&e)
		w.events = append(w.events, e)
	}
	return e
}

// FaultKind is the kind of a fault.
type FaultKind string

// The kernel's own kinds of faults. Injectors have others.
const (
	FaultPause  FaultKind = "pause"
	FaultResume FaultKind = "resume"
	FaultCrash  FaultKind = "crash"
	// FaultRestart is the start of a process that has crashed: see [Process.Restart].
	FaultRestart FaultKind = "starts anew"
	FaultLate    FaultKind = "late" // a segment is held back
	FaultCut     FaultKind = "cut"  // segments from this actor to another are held
	FaultHeal    FaultKind = "heal"
	// FaultPartition parts two sides; FaultUnited ends that.
	FaultPartition FaultKind = "partition"
	FaultUnited    FaultKind = "united"
	FaultJump      FaultKind = "clock jump"
	FaultLost      FaultKind = "lost reply" // a segment to this actor is lost with its connection
	FaultSkew      FaultKind = "clock off"  // from the beginning on
)

// Fault is a fault that struck or ended. The event's Peer is the other end of the
// route that was cut or healed.
type Fault struct {
	Event
	Kind FaultKind
	// For is how long the fault will last, 0 if unknown.
	For time.Duration
	// By is how far a clock jumped forward, or is ahead (back, or behind, if negative).
	// Rate is how much faster it runs than true time, in parts per million.
	By   time.Duration
	Rate int64
	// Task is the task of a late or lost request, or of the request that a late or lost
	// answer is for; nil if there is none.
	Task *Task
	// Sides is the partition that begins or ends, nil if it is another fault.
	Sides *Partition
}

// OnFault registers a function that the conductor calls for every fault.
func (w *World) OnFault(f func(Fault)) { w.watchers = append(w.watchers, f) }

// Fault logs that a fault struck the actor, and calls the functions of OnFault. D is
// how long the fault lasts; zero means that it is over at once, or that the length is
// unknown.
func (w *World) Fault(a *Actor, k FaultKind, d time.Duration) {
	w.Strike(a, Fault{Kind: k, For: d})
}

// Strike logs a fault of the actor with all its details, and calls the functions of
// OnFault. It fills in the fault's event.
func (w *World) Strike(a *Actor, f Fault) {
	f.Event = Event{Actor: a.name}
	w.fault(f)
}

// fault logs a fault whose actor and peer are set, and calls the functions of OnFault.
func (w *World) fault(f Fault) {
	detail := string(f.Kind)
	if f.For > 0 && f.For < forEver {
		detail += " for " + f.For.String()
	}
	if f.Sides != nil {
		detail += ": " + f.Sides.String()
	}
	if f.By != 0 {
		detail += " by " + f.By.String()
	}
	if f.Rate != 0 {
		detail += " at " + strconv.FormatInt(f.Rate, 10) + " ppm"
	}
	f.Event = w.Log(Event{Kind: EventFault, Actor: f.Actor, Peer: f.Peer, Detail: detail})
	for _, watch := range w.watchers {
		watch(f)
	}
}

// A Partition separates the actors of two sides: no segment passes between them in the
// direction Held. Within a side all segments pass.
type Partition struct {
	A, B []*Actor
	Held Direction
}

// Direction is the direction in which a partition holds segments.
type Direction int

// The directions.
const (
	BothWays Direction = iota // nothing passes between the sides
	FromAToB                  // nothing passes from side A to side B
	FromBToA                  // nothing passes from side B to side A
)

// String names the sides: "n1, c1 | n2, c2", or with an arrow if only segments in that
// direction are held.
func (p Partition) String() string {
	between := [...]string{BothWays: " | ", FromAToB: " -> ", FromBToA: " <- "}[p.Held]
	return names(p.A) + between + names(p.B)
}

func names(list []*Actor) string {
	words := make([]string, len(list))
	for i, a := range list {
		words[i] = a.name
	}
	return strings.Join(words, ", ")
}

// ways calls f for every route that the partition cuts.
func (p Partition) ways(f func(from, to *Actor)) {
	for _, a := range p.A {
		for _, b := range p.B {
			if p.Held != FromBToA {
				f(a, b)
			}
			if p.Held != FromAToB {
				f(b, a)
			}
		}
	}
}
