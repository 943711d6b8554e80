package sim

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/lockpick-dev/lockpick/sim/internal/digest"
	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// Kind is the subject of a decision.
type Kind string

// The kernel's own kinds of decisions. Fault injectors add theirs, each named "fault:"
// and the fault.
const (
	// Order: among the events due in the same window, which goes first.
	// Option i is the i-th in the order of the actors that they happen to, then
	// of those that they come from, then of scheduling.
	Order Kind = "order"
	// Latency: how much of a link's jitter a segment gets on top of the base
	// latency. Jitter is fine-grained, and far shorter than any timeout.
	Latency Kind = "latency"
	// Delay: whether a segment is prompt, or so late that it matters to a read
	// timeout or a TTL. The options are the link's delay classes, after option 0,
	// which is prompt.
	Delay Kind = "delay"
	// Unread: whether data that has arrived but is unread at a reset of its
	// connection is lost, or can be read before the reset shows.
	Unread Kind = "fault:unread"
	// ReadFirst: whether a goroutine that reads from a connection which ended during a
	// pause goes on before a goroutine that waits to write to it: see
	// [Conn.WritesFreely].
	ReadFirst Kind = "fault:read-first"
	// Select: whether the selects of a process try their cases in the order of the source or in the opposite one, and
	// whether the timers that it starts fire before or after others of their instant, until its next event. Only a
	// [SelectTape] is asked.
	Select Kind = "select"
	// Wake: in which order goroutines run that go on, or begin, from an event of a process until its next one. Option 0
	// is the scheduler's: the last goes first, the others follow in the order in which they were woken. Otherwise bit i
	// of the option is set if the i-th of each four goes behind all others. Only a [SelectTape] is asked, in programs
	// that were built with the overlay of simrun.
	Wake Kind = "wake"
	// Seed: the seed of a process's private random streams.
	Seed Kind = "seed"
)

// A Decision is a question that a run asks its tape at a place where it could go on in
// several ways.
//
// Kind, Actor and Occurrence are its identity. They do not depend on what
// other actors do, so a recorded choice still finds its place after small
// changes elsewhere.
type Decision struct {
	Kind  Kind
	Actor string
	// Occurrence counts the decisions of this kind and actor, from 0.
	Occurrence int
	// Options is the number of ways to go on, 2 or more. Option 0 is the calm one: the
	// first event of the window, the base latency, no fault.
	Options int
	// Odds is how rarely a random tape should deviate from calm: about once in Odds
	// times it leaves option 0 and picks evenly among the others. Zero means that all
	// options are equally likely. A fault's decision with zero Odds decides the course
	// of a fault that has struck.
	Odds int
	// Site is the place in the protocol: decisions of the same site are alike in all
	// runs. It is not part of the identity, and a tape may ignore it.
	Site Site
	// TaskNumber is the number of the site's task among the tasks of that name of the
	// site's process, from 1; 0 if the process has had none.
	TaskNumber int
	// Candidates are the events that an [Order] decision chooses from, one for each
	// option; or the segment of a [Latency] decision; or the possible targets of a
	// fault, if it names them, one for each option but the calm one. They are valid
	// until the tape has answered.
	Candidates []Candidate
}

// Candidate is an event that may go first, or something that a fault may
// strike.
type Candidate struct {
	// Serial names the event within its run. It is 0 if the candidate is not an event.
	Serial int64
	// To is the number of the target actor, and From that of the sender. For a
	// connection From is the actor that dialed.
	To, From int
}

// ID returns the decision's identity as text, such as "delay/c1#17".
func (d Decision) ID() string { return fmt.Sprintf("%s/%s#%d", d.Kind, d.Actor, d.Occurrence) }

// A Tape answers decisions. It is asked from one goroutine, in the order of the run,
// and must answer 0 <= option < d.Options. Its answers must not depend on the wall
// clock, the scheduler or a global random source.
type Tape interface {
	Choose(d Decision) int
}

// A SelectTape also answers decisions of the kinds [Select] and [Wake]. There is one of each at each event of a
// process, and few matter: where several cases of a select are ready, timers are due at one instant, or several
// goroutines go on. So option 0 leaves no mark: it is not recorded, and no other decision's number depends on it. With
// other tapes, selects try their cases in the order of the source. No tape is asked if this release of Go, or this
// system, is not known.
type SelectTape interface {
	Tape
	ChooseSelect(d Decision) int
}

// A Choice is a decision and the option that was taken.
type Choice struct {
	Kind       Kind   `json:"kind"`
	Actor      string `json:"actor"`
	Occurrence int    `json:"n"`
	Options    int    `json:"of"`
	Option     int    `json:"option"`
	// After is the number of the last event before the decision, for people who want to
	// find the choice in the run.
	After int64 `json:"after,omitempty"`
	// Shows is the number of the event that shows a choice other than the calm one: the
	// fault that struck, the arrival of the slow or late segment, the event that went
	// first. It is 0 if no event shows it.
	Shows int64 `json:"shows,omitempty"`
}

// ID returns the identity of the decision that was answered.
func (c Choice) ID() string {
	return Decision{Kind: c.Kind, Actor: c.Actor, Occurrence: c.Occurrence}.ID()
}

// Calm is the tape that always takes option 0.
type Calm struct{}

// Choose returns 0.
func (Calm) Choose(Decision) int { return 0 }

// Choose asks the tape, and returns the option that it takes. It fills in the
// decision's Occurrence, Site and TaskNumber. If the decision has fewer than two
// options, Choose returns 0 without asking.
func (w *World) Choose(d Decision) int { return int(w.choose(d)) }

func (w *World) choose(d Decision) uint64 {
	if d.Options < 2 {
		return 0
	}
	a := w.byName[d.Actor]
	if a == nil {
		panic(fmt.Sprintf("sim: a decision for %q: there is no such actor", d.Actor))
	}
	d.Occurrence = a.occurred(d.Kind)
	d.Site, d.TaskNumber = w.site(a)
	return w.took(&d, w.tape.Choose(d))
}

// occurrences counts the decisions of a kind so far.
type occurrences struct {
	kind Kind
	n    int
}

// occurred counts a decision of the kind, and returns how many came before it. An actor has few kinds.
func (a *Actor) occurred(kind Kind) int {
	for i := range a.occurrences {
		if o := &a.occurrences[i]; o.kind == kind {
			o.n++
			return o.n - 1
		}
	}
	a.occurrences = append(a.occurrences, occurrences{kind, 1})
	return 0
}

// wakeOrders is the number of orders of woken goroutines: bit i is set if the i-th of each four goes behind.
const wakeOrders = 1 << 4

// order asks for the order of selects and the order of goroutines in a process until its next event.
func (w *World) order(p *Process) (o goruntime.Orders) {
	if p == nil || w.selects == nil || !goruntime.SelectsKnown() {
		return o
	}
	o.Reversed = w.chooseSelect(p, Select, 2) != 0
	if goruntime.Exact() {
		o.Behind = w.chooseSelect(p, Wake, wakeOrders) * (math.MaxUint64 / (wakeOrders - 1)) // the same four bits again and again
	}
	p.orders++
	return o
}

func (w *World) chooseSelect(p *Process, kind Kind, options int) uint64 {
	d := Decision{Kind: kind, Actor: p.name, Occurrence: p.orders, Options: options}
	option := w.selects.ChooseSelect(d)
	if option == 0 {
		return 0
	}
	return w.took(&d, option)
}

// setDraws sets the random numbers that the Go runtime draws, once in each step: the same numbers twice would make two
// tokens of one process alike. Selects and woken goroutines are in the order that the last event of a process has
// decided.
func (w *World) setDraws() {
	at := [2]int64{int64(w.bubble.Now()), w.steps.Load()}
	if at == w.drawn {
		return
	}
	w.drawn = at
	w.draws.Set(digest.Uint(digest.Uint(digest.Uint(digest.Offset, w.seed), uint64(at[0])), uint64(at[1])), w.orders)
}

// took records the option that the tape has taken.
func (w *World) took(d *Decision, option int) uint64 {
	w.decisions++
	if option < 0 || option >= d.Options {
		panic(fmt.Sprintf("sim: the tape chose option %d of %s, which has %d", option, d.ID(), d.Options))
	}
	w.trail.chose(d, option)
	if w.config.Record {
		w.choices = append(w.choices, Choice{
			Kind: d.Kind, Actor: d.Actor, Occurrence: d.Occurrence, Options: d.Options, Option: option, After: w.seq,
		})
		w.effects.chose(d, option, len(w.choices))
	}
	return uint64(option)
}

// seedOptions is the number of seeds that a tape can choose from.
const seedOptions = 1 << 30

// A Site is a place in the protocol. Runs of the same code have the same sites, and a
// process that repeats itself has few, so a search can distinguish rare places from
// common ones. The fields are in order, the coarsest first.
type Site struct {
	// Actor is the target of the event before which a fault would strike, or the
	// sender of the segment that would be late.
	Actor int
	// Event is a hash of the event's kind and its source, or of the segment's
	// receiver.
	Event uint64
	// Process is the number of the process concerned: the actor itself or the other
	// one; 0 if neither is a process.
	Process int
	// Task is a hash of the name of the process's task or, between tasks, of the last
	// one.
	Task uint64
	// Step is the number of the process's events since that task began or ended: exact
	// up to 8, by magnitude above.
	Step int
}

// site returns the site of a decision, which is the event that is about to happen or a
// segment of the actor's, and the number of the process's task among those of its name.
func (w *World) site(a *Actor) (s Site, taskNumber int) {
	s.Actor = a.id
	other := w.travelling
	if p := w.before; p != nil {
		a, other = p.actor, p.from
		s.Actor, s.Event = a.id, digest.String(digest.Offset, string(p.kind))
	}
	if other != nil {
		s.Event = digest.Uint(s.Event, uint64(other.id)+1)
	}
	for _, x := range [...]*Actor{a, other} {
		if x == nil || x.process == nil {
			continue
		}
		f := x.process.currentPhase()
		s.Process = x.id
		if s.Task, taskNumber = f.name, f.number; f.task == nil {
			s.Task++
		}
		if s.Step = f.steps; s.Step > 8 {
			s.Step = 8 + bits.Len(uint(s.Step))
		}
		break
	}
	return s, taskNumber
}

// effects links the choices of a recorded run to the events that show them.
// Choices are counted from 1.
type effects struct {
	// strike is the choice by which the present fault struck, 0 if there is none.
	// Deviations are the choices of that strike that no event has shown yet.
	strike     int
	deviations []int
	// event are the choices that the present event shows.
	event []int
	// segment are the choices that the arrival of the segment that is being sent will
	// show.
	segment []int
}

// chose notes the n-th choice. A choice without odds decides the course of a fault that
// has struck, and is part of that strike.
func (e *effects) chose(d *Decision, option, n int) {
	if !strings.HasPrefix(string(d.Kind), "fault:") {
		return
	}
	if d.Odds > 0 {
		e.strike = 0
		if option > 0 {
			e.strike = n
		}
	}
	if option > 0 {
		e.deviations = append(e.deviations, n)
	}
}

// inSegment notes that the arrival of the segment that is being sent shows the n-th
// choice.
func (e *effects) inSegment(option, n int) {
	if option == 0 || n == 0 { // nothing is recorded
		return
	}
	e.segment = append(e.segment, n)
	if last := len(e.deviations) - 1; last >= 0 && e.deviations[last] == n {
		e.deviations = e.deviations[:last]
	}
}

// noteEffects sets in the event the decision by which its fault struck, and in the
// choices that the event shows their Shows.
func (w *World) noteEffects(e *Event) {
	s := &w.effects
	if s.strike > 0 {
		e.Decision = w.choices[s.strike-1].ID()
	}
	for _, list := range [][]int{s.deviations, s.event} {
		for _, n := range list {
			if c := &w.choices[n-1]; c.Shows == 0 && c.Option > 0 {
				c.Shows = e.Seq
			}
		}
	}
	s.deviations, s.event = nil, nil
}
