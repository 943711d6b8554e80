package sim

import (
	"fmt"
	"sync/atomic"
	"time"
)

// World is one simulated world during its run. Its methods may be called from
// the set-up function and from the functions that the conductor calls (event
// handlers, injectors, emissions); where another goroutine may call one, the
// method says so.
type World struct {
	config Config
	tape   Tape
	seed   uint64
	bubble *bubble

	actors    []*Actor
	byName    map[string]*Actor
	conductor *Actor
	net       *Network
	injectors []Injector
	watchers  []func(Fault)
	closers   []func() // those of OnEnd

	// What is to come.
	queue      queue
	scheduled  int64      // events that were put into the queue, so far
	vital      int        // vital events in the queue
	committed  *pending   // the event that was chosen to go first
	stranded   []*pending // events of crashed processes: they will not happen
	inbox      inbox      // the emissions of the present step
	turnTakers []*Process // processes some of whose goroutines have asked for their turn
	// Memory for the lists of ready.
	readyBuffer, takenBuffer []*pending

	// The present step.
	steps  atomic.Int64 // its number; any goroutine may read it
	acting *Actor       // to whom the present event happens
	// gathers is the connection whose gathered bytes are being noted, if any.
	gathers *Conn
	// Of the decision that is being asked: the event that it precedes, the actor
	// to whom the segment goes whose latency it is, and memory for its candidates.
	before          *pending
	travelling      *Actor
	candidateBuffer []Candidate

	// Time since the start of the run: of the present window; on package time's
	// clock, which is within the window or soon after it; and on that clock when
	// the last event happened.
	now, moment, last time.Duration

	// The phases of the run.
	settingUp bool
	workloads int           // that have not returned
	final     time.Duration // the window in which the run was done, forEver before that
	end       time.Duration // when the run ended
	ended     chan struct{} // closed when the run is over and the world drains

	// What the report will say.
	seq       int64
	hash      uint64
	events    []Event
	decisions int // that were asked, so far
	choices   []Choice
	shown     shown
	trail     *Trail
	cut       string
	failure   *Failure
	doubts    doubts
}

// NewActor adds an actor. Names are unique; their order of creation is the
// order of the actors everywhere.
func (w *World) NewActor(name string) *Actor {
	if w.byName[name] != nil {
		panic(fmt.Sprintf("sim: two actors named %q", name))
	}
	if len(w.actors) == slots {
		panic(fmt.Sprintf("sim: more than %d actors", slots))
	}
	a := &Actor{world: w, id: len(w.actors), name: name, occurrences: map[Kind]int{}}
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
		panic(fmt.Sprintf("sim: a decision for %q: there is no such actor", d.Actor))
	}
	d.Occurrence = a.occurrences[d.Kind]
	a.occurrences[d.Kind]++
	d.Site, d.Turn = w.site(a)
	w.decisions++
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
