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

// twin is a calm run that differs from another in a single respect, to show what the
// values that a lock writes depend on.
type twin int

const (
	// noTwin is the plain run.
	noTwin twin = iota
	// otherProcess has a client with another name, another address and other random
	// numbers, at the same nanoseconds.
	otherProcess
	// nextNanosecond is otherProcess a nanosecond later. Windows and readings of a Clock
	// are the same.
	nextNanosecond
)

// first is the number of the first client.
func (t twin) first() int {
	if t == noTwin {
		return 0
	}
	return 1
}

// shift moves everything that happens to the following actors to a later nanosecond.
func (t twin) shift(w *sim.World) {
	if t == nextNanosecond {
		w.NewActor("spare") // it takes the nanosecond that would be theirs
	}
}

// seeds differ from those of the calm run.
func (t twin) seeds() (tape []sim.Choice) {
	if t != noTwin {
		for _, actor := range []string{"world", clientName(t.first())} {
			tape = append(tape, sim.Choice{Kind: sim.Seed, Actor: actor, Options: 1 << 30, Option: 12345})
		}
	}
	return tape
}

// Warnings describe flaws that no schedule of a search can show; calm runs in a worker
// find them. There is one today: values that depend on the time alone. On package time's
// clock no two processes see the same nanosecond, so tokens or seeds made from it look
// unique. Warnings compares what the lock writes in runs that differ in everything but the
// time, and in the time alone. It ignores a lock that fails in these runs.
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

// timeAlone is the first value that another process also writes at the same nanosecond,
// but not a nanosecond later; empty if there is none.
func timeAlone(one, other, later []string) string {
	for i := range min(len(one), len(other), len(later)) {
		if one[i] == other[i] && other[i] != later[i] {
			return one[i]
		}
	}
	return ""
}

// writtenBy are the values that a process has written to keys, in order.
func writtenBy(h *model.History, process string) (values []string) {
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Authority != "" && o.By.Client == process && (o.Kind == model.RecordCreated || o.Kind == model.RecordChanged) {
			items := slices.Clone(o.Items)
			slices.Sort(items)
			values = append(values, strings.Join(append([]string{o.Value}, items...), " "))
		}
	}
	return values
}
