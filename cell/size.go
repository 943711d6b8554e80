package cell

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// The kinds of decisions about the size of a run.
const (
	sizeRounds sim.Kind = explore.SizePrefix + "rounds"
	sizeLease  sim.Kind = explore.SizePrefix + "lease"
	sizeHolds  sim.Kind = explore.SizePrefix + "holds"
)

// The limits of what a run varies. The usual size is the most frequent.
const (
	// moreRounds is how many more rounds a run may have.
	moreRounds = 2
	// longerLease is how many times as long a lease may be that is not longer than the
	// longest time-out of the store's clients. Hold times and lengths of faults grow with it.
	longerLease = 4
)

// How rare another size is for a random tape. A run with a longer lease has several times as
// many events.
const (
	oddRounds = 8
	oddLease  = 16
	oddHolds  = 8
)

// longerHolds are how much longer a client may hold a lock that is kept alive, in percent of
// the lease. With a fifth of a lease that every hold lasts, one is just shorter than a lease, one
// just longer, and one much longer.
var longerHolds = []time.Duration{70, 95, 150}

// size is what a run varies beside its parameters.
type size struct {
	// holds are how much longer each client process holds a lock that is kept alive.
	holds []time.Duration
}

// sized is the cell of the size that the tape chooses. It is called before anything is built
// that depends on the size.
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
	return c
}

// size is a decision about the size with the given number of options that are not the usual one.
func (c Cell) size(kind sim.Kind, others, odds int) sim.Decision {
	return sim.Decision{Kind: kind, Actor: sim.Conductor, Options: 1 + others, Odds: odds}
}

// leaseVaries reports whether the TTL, which is not longer than the clients' time-out, may be
// longer than that. A scenario with a lease of its own has one that is.
func (c Cell) leaseVaries() bool {
	timeout := c.Lock.Store.Timing().Long
	return c.Params.Sizes == stage.AllSizes && c.Scenario.Params.Lease == 0 && c.Params.TTL <= timeout && c.Params.TTL*longerLease > timeout
}

// holdsVary reports whether the lock may be kept alive for longer than a lease.
func (c Cell) holdsVary() bool {
	return !c.IsProgram() && (c.Lock.Renews || c.Lock.Store.Traits(c.Params).KeepsAlive)
}

// longer is how much longer a client process holds a lock that is kept alive.
func (c Cell) longer(client int) time.Duration {
	longer := time.Duration(c.Params.LongHolds) * c.Params.LeaseAsked()
	if c.drawn.holds != nil {
		longer += c.drawn.holds[client]
	}
	return longer
}

// longest is the longest of these.
func (c Cell) longest() (most time.Duration) {
	for i := range c.Params.Clients {
		most = max(most, c.longer(i))
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
	case sizeHolds:
		if choice.Option <= len(longerHolds) {
			return fmt.Sprintf("%s holds the lock for %d %% of a lease longer", c.processName(choice.Occurrence), longerHolds[choice.Option-1])
		}
	}
	return ""
}
