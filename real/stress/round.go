package stress

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/internal/recording"
	"github.com/lockpick-dev/lockpick/sim"
)

// Round is the result of a round.
type Round struct {
	// History and Events are what a simulated run has. Messages are not among the events.
	History model.History
	Events  []sim.Event
	// Acquired is the number of acquisitions, and Faults the number of faults that the gates, the processes and the servers had.
	Acquired, Faults int
	// Stuck is set if a client did not get the lock, or no answer from its library, for longer than it may wait. The stand is then
	// of no more use.
	Stuck bool
	nodes [][]string
	wait  time.Duration // how long a thread might wait
}

// run is a round that runs. One goroutine handles all of its inputs, so its counter orders everything.
type run struct {
	*Stand
	recording.Recorder
	faults  Faults
	random  *rand.Rand
	actors  []*actor
	waiting []*request // to be let through
	timed   []*timed   // stops and outages that end
	struck  int
	healing bool // faults have ended
	calm    int  // how much rarer long holds are than in other rounds
	looked  time.Time
	acted   time.Time
	value   int64 // of the protected resource
	highest int64 // the highest token that it has seen
	fenced  bool
	failed  error
	slack   time.Duration // how much longer a client may wait, since the machine has had no time
}

// timed is something that ends at a time.
type timed struct {
	at   time.Time
	end  func() error
	seen int // the index of its observation, -1 for none
}

// quiet returns a run without clients, for what is sent between rounds.
func (s *Stand) quiet() *run {
	return &run{Stand: s, faults: None{}, healing: true, Recorder: recording.New(s.lease())}
}

// Round runs a round: faults act for a time, and then end. The seed determines what the clients do, as far as their random
// choices go. An error is one of the servers, of a process, or of the context.
func (s *Stand) Round(ctx context.Context, seed uint64, f Faults, active time.Duration) (*Round, error) {
	if err := s.repair(); err != nil {
		return nil, err
	}
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	r := s.quiet()
	r.faults, r.healing, r.random = f, false, rand.New(rand.NewPCG(seed, 1))
	r.calm = []int{1, 1, 6, 30}[r.random.IntN(4)] // the shorter the holds are, the more often the lock changes hands
	for _, k := range s.links {
		k.last = model.Origin{} // operations are numbered anew
	}
	for i, p := range s.procs {
		for t := range s.Cell.Params.ThreadCount() {
			r.actors = append(r.actors, &actor{process: p, thread: t, random: rand.New(rand.NewPCG(seed, uint64(i+len(s.procs)*t)+2))})
		}
	}
	nodes := make([][]string, len(s.nodes))
	for i := range nodes {
		nodes[i] = slices.Clone(s.nodes[i])
	}
	if err := r.lookAll(); err != nil {
		return nil, err
	}
	stuck, err := r.drive(ctx, active)
	if err != nil {
		return nil, err
	}
	r.settleFaults()
	r.History.End = r.Stamp()
	result := &Round{History: r.History, Events: r.Events, Faults: r.struck, Stuck: stuck, nodes: nodes, wait: r.patience()}
	for i := range r.History.Operations {
		if op := &r.History.Operations[i]; op.Kind == model.Acquire && op.Result == model.OK {
			result.Acquired++
		}
	}
	return result, nil
}

// settle waits, at most for a lease, until the lock's records of the last round are gone.
func (s *Stand) settle(ctx context.Context) error {
	if len(s.links) == 0 {
		return nil
	}
	r := s.quiet()
	end := time.Now().Add(s.lease() + 2*drift)
	for time.Now().Before(end) {
		if err := r.listen(ctx, 5*time.Millisecond); err != nil {
			return err
		}
		if err := r.passAll(); err != nil {
			return err
		}
	}
	return nil
}

// drive runs the workload, and reports whether a client was stuck.
func (r *run) drive(ctx context.Context, active time.Duration) (stuck bool, err error) {
	for {
		turn := time.Now()
		if !r.healing && time.Since(r.Began) > active {
			if err := r.heal(); err != nil {
				return false, err
			}
		}
		for _, a := range r.actors {
			if err := r.act(a); err != nil {
				return false, err
			}
		}
		if err := r.passAll(); err != nil {
			return false, err
		}
		if err := r.endTimed(); err != nil {
			return false, err
		}
		switch {
		case r.failed != nil:
			return false, r.failed
		case r.healing && !slices.ContainsFunc(r.actors, func(a *actor) bool { return !a.dead && !a.done }):
			return false, nil
		case r.healing && slices.ContainsFunc(r.actors, r.tooLong):
			return true, nil
		}
		if now := time.Now(); !r.healing && now.Sub(r.acted) > step {
			r.acted = now
			r.faults.Act(acts{r})
		}
		if err := r.lookExpired(); err != nil {
			return false, err
		}
		if worked := time.Since(turn); worked > busy { // clients have waited for the gates
			r.slack += 2 * worked
		}
		if err := r.listen(ctx, r.idle()); err != nil {
			return false, err
		}
	}
}

const (
	// step is the time between two calls of Faults.Act.
	step = 3 * time.Millisecond
	// glance is the time between two looks at records whose ends are not known before.
	glance = 10 * time.Millisecond
	// busy is how late a timer is on a machine that has no time for this process. Other processes then have none either.
	busy = 10 * time.Millisecond
)

// idle returns how long to wait for an input.
func (r *run) idle() time.Duration {
	wait, now := 3*time.Millisecond, time.Now()
	for _, a := range r.actors {
		if !a.dead && !a.stopped && a.op == 0 && !a.looking {
			wait = min(wait, a.next.Sub(now))
		}
	}
	return max(wait, 100*time.Microsecond)
}

// listen handles inputs for a while, until there is one.
func (r *run) listen(ctx context.Context, long time.Duration) error {
	began := time.Now()
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case p := <-r.passes:
		r.note(p)
	case h := <-r.heard:
		return r.hear(h)
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		if late := time.Since(began) - long; late > busy {
			r.slack += 4 * late
		}
	}
	return nil
}

// heal ends all faults.
func (r *run) heal() error {
	r.healing = true
	now := time.Now()
	for _, t := range r.timed {
		t.at = now
	}
	for _, q := range r.waiting {
		q.due = now
	}
	for _, k := range r.links {
		for _, a := range k.inbox {
			a.due = now
		}
	}
	r.History.Healed = max(r.History.Healed, now.Sub(r.Began))
	return r.endTimed()
}

// endTimed ends what lasts until now, and delivers the answers whose time has come.
func (r *run) endTimed() error {
	now := time.Now()
	var left []*timed
	for _, t := range r.timed {
		if now.Before(t.at) {
			left = append(left, t)
			continue
		}
		r.lasted(t.seen)
		if err := t.end(); err != nil {
			return err
		}
	}
	r.timed = left
	for _, k := range r.links {
		r.flush(k)
	}
	return nil
}

// lasted records that the fault of an observation is over.
func (r *run) lasted(seen int) {
	if seen < 0 || seen >= len(r.History.Observations) {
		return
	}
	o := &r.History.Observations[seen]
	o.For = time.Since(r.Began) - o.At
	r.History.Healed = max(r.History.Healed, o.At+o.For)
}

// settleFaults ends what still acts, for the history alone.
func (r *run) settleFaults() {
	for _, t := range r.timed {
		r.lasted(t.seen)
	}
}
