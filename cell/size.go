package cell

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// The kinds of decisions about the size of a run.
const (
	sizeRounds sim.Kind = explore.SizePrefix + "rounds"
	sizeLease  sim.Kind = explore.SizePrefix + "lease"
	sizeHolds  sim.Kind = explore.SizePrefix + "holds"

	sizeThreads sim.Kind = explore.SizePrefix + "threads"
	sizeStays   sim.Kind = explore.SizePrefix + "stays"
)

// The limits of a run's size. The usual size is the most frequent.
const (
	// moreRounds is the most rounds that a run may have in addition.
	moreRounds = 2
	// longerLease is the factor by which a lease may grow that is not longer than the longest
	// time-out of the store's clients. Hold times and lengths of faults grow with it.
	longerLease = 4
	// moreThreads is the number of threads that a client process may have instead of
	// one.
	moreThreads = 2
)

// The odds of another size for a random tape. A run with a longer lease, or with more threads, has several
// times as many events.
const (
	oddRounds = 8
	oddLease  = 16
	oddHolds  = 8

	oddThreads = 16
	// oddStays is for all client processes together, so that most runs have none.
	oddStays = 8
)

// longerHolds are the times by which a client may prolong its hold of a lock that is kept alive,
// in percent of the lease. Every hold lasts a fifth of a lease at least, so one is then just
// shorter than a lease, one just longer, and one much longer.
var longerHolds = []time.Duration{70, 95, 150}

// stays are the times that a client may work between reading and writing instead of think, in percent of the
// lease. The longest leaves time for the other steps of a hold, so that the hold ends within the lease unless
// something is late.
var stays = []time.Duration{2, 45, 70}

// size is the part of a run's size that its parameters do not set.
type size struct {
	// holds has, for each client process, the time by which it prolongs its holds of a
	// lock that is kept alive.
	holds []time.Duration
	// stays has, for each client process, the time that it works between reading and
	// writing.
	stays []time.Duration
}

// sized returns the cell with the size that the tape chooses. It must be called before anything
// is built that depends on the size.
func (c Cell) sized(w *sim.World) Cell {
	if c.Params.Sizes == 0 {
		return c
	}
	p := &c.Params
	if !c.IsProgram() {
		p.Rounds += w.Choose(c.size(sizeRounds, moreRounds, oddRounds))
	}
	if c.leaseVaries() && w.Choose(c.size(sizeLease, 1, oddLease)) > 0 {
		p.TTL *= longerLease
		p.Lease *= longerLease
	}
	if c.holdsVary() {
		for range p.Clients {
			longer := time.Duration(0)
			if option := w.Choose(c.size(sizeHolds, len(longerHolds), oddHolds)); option > 0 {
				longer = p.LeaseAsked() * longerHolds[option-1] / 100
			}
			c.drawn.holds = append(c.drawn.holds, longer)
		}
	}
	if p.WorkVaries() && !c.IsProgram() {
		c = c.workSized(w)
	}
	return c
}

// workSized returns the cell with the work of its clients that the tape chooses. It asks last, because older
// versions did not ask.
func (c Cell) workSized(w *sim.World) Cell {
	p := &c.Params
	if c.threadsVary() && w.Choose(c.size(sizeThreads, 1, oddThreads)) > 0 {
		p.Threads = moreThreads
	}
	if c.isHeld() {
		for range p.Clients {
			stay := think(*p)
			if option := w.Choose(c.size(sizeStays, len(stays), oddStays*p.Clients)); option > 0 {
				stay = min(p.TTL, p.LeaseAsked()) * stays[option-1] / 100
			}
			c.drawn.stays = append(c.drawn.stays, stay)
		}
	}
	return c
}

// size returns a decision about the size with the usual option and the given number of others.
func (c Cell) size(kind sim.Kind, others, odds int) sim.Decision {
	return sim.Decision{Kind: kind, Actor: sim.Conductor, Options: 1 + others, Odds: odds}
}

// leaseVaries reports whether the TTL is not longer than the clients' time-out, and may be
// made longer than it. A scenario with a lease of its own has a longer one already.
func (c Cell) leaseVaries() bool {
	timeout := c.Lock.Store.Timing().Long
	return c.Params.LeaseVaries() && c.Scenario.Params.Lease == 0 && c.Params.TTL <= timeout && c.Params.TTL*longerLease > timeout
}

// holdsVary reports whether the lock may be kept alive for longer than a lease.
func (c Cell) holdsVary() bool {
	return !c.IsProgram() && (c.Lock.Renews || c.Lock.Store.Traits(c.Params).KeepsAlive)
}

// threadsVary reports whether processes may have more threads than one. A quorum lock asks its servers in goroutines of
// its own, whose order after a pause is not controlled among several threads; and some stores' client libraries let the
// scheduler choose which thread goes on first.
func (c Cell) threadsVary() bool {
	return c.Params.Threads == 0 && c.Params.ServerCount() == 1 && !c.Lock.Store.Traits(c.Params).ThreadsRace
}

// isHeld reports whether clients hold the subject for a while.
func (c Cell) isHeld() bool {
	ops := c.Lock.Subject.Spec().Kind.Ops()
	return slices.Contains(ops, model.Release) || slices.Contains(ops, model.ReleaseRead)
}

// think returns how long a client usually works between reading and writing the resource: well under
// the TTL, and longer than a failover takes.
func think(p Params) time.Duration { return p.TTL / 5 }

// stay returns the time that a client process works between reading and writing.
func (c Cell) stay(client int) time.Duration {
	if c.drawn.stays != nil {
		return c.drawn.stays[client]
	}
	return think(c.Params)
}

// longer returns the time by which a client process prolongs its holds of a lock that
// is kept alive.
func (c Cell) longer(client int) time.Duration {
	longer := time.Duration(c.Params.LongHolds) * c.Params.LeaseAsked()
	if c.drawn.holds != nil {
		longer += c.drawn.holds[client]
	}
	return longer
}

// longest returns the most time that a client process works beyond think while it holds the lock.
func (c Cell) longest() (most time.Duration) {
	for i := range c.Params.Clients {
		most = max(most, c.longer(i)+c.stay(i)-think(c.Params))
	}
	return most
}

// sizeText describes a choice of the size of a run, empty for another choice.
func (c Cell) sizeText(choice sim.Choice) string {
	if choice.Option < 1 {
		return ""
	}
	switch choice.Kind {
	case sizeRounds:
		return fmt.Sprintf("each client goes through %d rounds and not %d", c.Params.Rounds+choice.Option, c.Params.Rounds)
	case sizeLease:
		return fmt.Sprintf("leases, holds and faults last %d times as long", longerLease)
	case sizeThreads:
		return fmt.Sprintf("each client process has %d threads", moreThreads)
	case sizeStays:
		if choice.Option <= len(stays) {
			return fmt.Sprintf("%s works for %d %% of a lease between reading and writing", c.processName(choice.Occurrence), stays[choice.Option-1])
		}
	case sizeHolds:
		if choice.Option <= len(longerHolds) {
			return fmt.Sprintf("%s holds the lock for %d %% of a lease longer", c.processName(choice.Occurrence), longerHolds[choice.Option-1])
		}
	}
	return ""
}
