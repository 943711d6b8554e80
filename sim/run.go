package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lockpick-dev/lockpick/sim/internal/bubble"
	"github.com/lockpick-dev/lockpick/sim/internal/digest"
	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// Report is the result of a run.
type Report struct {
	// Events and Choices are set if Config.Record was.
	Events  []Event
	Choices []Choice
	// Remarks are set if Config.Record was, in the order of their events.
	Remarks []Remark
	// EventCount is the number of events, and Simulated the virtual time that
	// passed until the last event, or until the limit that cut the run.
	EventCount int64
	Simulated  time.Duration
	// Hash is the rolling hash over all events: equal hashes, equal runs.
	Hash uint64
	// Trail is set if Config.Trail was.
	Trail *Trail
	// Cut names the limit that ended the run; empty if none did.
	Cut string
	// Failure is set if code of the run panicked, or goroutines did not end. The
	// rest of the report covers the run until then.
	Failure *Failure
	// Nondeterminism has the reasons why the run may not repeat, sorted: see
	// [Process.NoteNondeterminism].
	Nondeterminism []string
	// Served has hashes of the sorts of requests that servers got, sorted: see [World.Served].
	Served []uint64
}

// Run builds a world with setUp and runs it to its end: until every workload
// (see [Process.Go]) is done and nothing is in flight any more, or a limit is
// reached. It returns when all goroutines of the run have ended.
//
// Run holds the process-wide random sources, so a second call waits for the first. For
// parallel runs use several processes.
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

// Limit replaces the limits of [Config]: MaxEvents, Horizon and Enough. It is called during
// set-up, by a run whose size depends on the tape.
func (w *World) Limit(maxEvents int64, horizon time.Duration, enough func(time.Duration) string) {
	w.config.MaxEvents, w.config.Horizon, w.config.Enough = maxEvents, horizon, enough
}

// newWorld returns a world without actors.
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
	if c.Drain == 0 {
		c.Drain = 5 * time.Minute
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
		served: map[uint64]struct{}{},
		hash:   digest.Offset,
		final:  forEver,
	}
	w.selects, _ = c.Tape.(SelectTape) // once: the runtime's cache of such questions is not filled in a run
	if c.Trail {
		w.trail = &Trail{lastTimer: -1}
	}
	w.conductor = w.NewActor(Conductor)
	w.net, w.newGoroutines = newNetwork(w), newGoroutines
	return w
}

// run performs the run in a bubble of its own.
func (w *World) run(setUp func(*World)) {
	defer seedGlobals(w.seed)()
	defer w.draws.End()
	forgetGoroutines()
	err := bubble.Run(w.seed, w.config.Ahead, func(b *bubble.Bubble) {
		w.bubble, w.ended = b, make(chan struct{})
		b.Parks = w.setDraws
		b.Passes = func() { w.timers.Order(w.orders.Reversed) }
		bubble.Apart(func() {
			growStack()
			guard(func() {
				w.settingUp, w.drawn[0] = true, -1
				w.setDraws()
				setUp(w)
				w.settingUp = false
				goruntime.Disown()
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
		f.Reason = fmt.Sprintf("some goroutines had not ended %v of virtual time after the run", w.config.Drain)
		f.Stack = bubble.LeftOver()
	}
	w.fail(f)
}

// report returns the result of the run.
func (w *World) report() Report {
	w.trail.close(w.decisions)
	return Report{
		Trail:          w.trail,
		Events:         w.events,
		Remarks:        w.allRemarks(),
		Choices:        w.choices,
		EventCount:     w.seq,
		Simulated:      max(w.now, w.end),
		Hash:           w.hash,
		Cut:            w.cut,
		Failure:        w.failure,
		Nondeterminism: w.nondeterminism.list(),
		Served:         slices.Sorted(maps.Keys(w.served)),
	}
}

// Served notes that a server got a request, of a task, which may be nil. The words name the sort of request,
// without anything that differs from run to run, such as values. A search prefers to continue from runs with
// rare requests. The run itself does not depend on it. Only the conductor may call it.
func (w *World) Served(t *Task, request ...string) {
	h := digest.Offset
	if t != nil {
		h = digest.String(h, t.Name)
	}
	for _, word := range request {
		h = digest.String(h, word)
	}
	w.served[h] = struct{}{}
}
