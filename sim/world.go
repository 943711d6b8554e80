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
