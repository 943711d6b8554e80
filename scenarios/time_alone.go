package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// twin is a calm run that differs from another one in a single respect, to see what
// the values depend on that a lock writes.
type twin int

const (
	// noTwin is the run as it is.
	noTwin twin = iota
	// otherProcess has a client of another name and address, and other random
	// numbers everywhere, at the very same nanoseconds.
	otherProcess
	// nextNanosecond is otherProcess, a nanosecond later: no window, and nothing
	// that a Clock shows, is another.
	nextNanosecond
)

// first is the number of the first client.
func (t twin) first() int {
	if t == noTwin {
		return 0
	}
	return 1
}

// shift makes all that happens to the actors that come next happen later.
func (t twin) shift(w *sim.World) {
	if t == nextNanosecond {
		w.NewActor("spare") // it owns the nanosecond that would be theirs
	}
}

// seeds are others than the calm ones.
func (t twin) seeds() (tape []sim.Choice) {
	if t != noTwin {
		for _, actor := range []string{"world", clientName(t.first())} {
			tape = append(tape, sim.Choice{Kind: sim.Seed, Actor: actor, Options: 1 << 30, Option: 12345})
		}
	}
	return tape
}

// Warnings say what no schedule of a search can show of the lock, and what was
// found by calm runs in a worker instead. Today that is one thing: on package
// time's clock no two processes ever see the same nanosecond, so that tokens, or
// seeds, that are made of it look unique. It is found by comparing what the lock
// writes in runs that differ in all but the time, and in the time alone. A lock
// that fails in these runs is left to the search.
func Warnings(ctx context.Context, w explore.Worker, c Cell) []string {
	h := explore.Hand{Worker: w}
	defer h.Close()
	p := c.Params
	c.Params = Params{Clients: 1, Rounds: 2, Followers: p.Followers, Servers: p.Servers, TTL: p.TTL, Lease: p.Lease}
	var written [3][]string
	for t := noTwin; t <= nextNanosecond; t++ {
		c.twin = t
		q := explore.Request{Cell: c.Encode(), Replay: true, Lenient: true, Record: true, Tape: t.seeds()}
		err := h.Do(ctx, q, func(r explore.Result) bool {
			if r.Recording != nil {
				written[t] = writtenBy(&r.Recording.History, clientName(t.first()))
			}
			return true
		})
		if err != nil || len(written[t]) == 0 {
			return nil
		}
	}
	if value := timeAlone(written[noTwin], written[otherProcess], written[nextNanosecond]); value != "" {
		return []string{fmt.Sprintf("what the lock writes (%s) is made of package time's nanoseconds alone, or of random numbers that are seeded with them. "+
			"Two processes that see the same time, as happens where clocks are coarse, would write the same and could release or extend each other's lock. "+
			"No schedule shows it, since no two simulated processes see the same nanosecond: add something random from crypto/rand, or what only this process has", value)}
	}
	return nil
}

// timeAlone is the first value that another process writes, too, at the same
// nanosecond, but not a nanosecond later; empty if there is none.
func timeAlone(one, other, later []string) string {
	for i := range min(len(one), len(other), len(later)) {
		if one[i] == other[i] && other[i] != later[i] {
			return one[i]
		}
	}
	return ""
}

// writtenBy are the values that a process has written to keys, in their order.
func writtenBy(h *model.History, process string) (values []string) {
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Authority != "" && o.By.Client == process && (o.Kind == model.KeyCreated || o.Kind == model.KeyChanged) {
			items := slices.Clone(o.Items)
			slices.Sort(items)
			values = append(values, strings.Join(append([]string{o.Value}, items...), " "))
		}
	}
	return values
}
