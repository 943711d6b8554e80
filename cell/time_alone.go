package cell

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// NotSearched returns the flaws of the lock that no schedule of a search can show, each as "what: why". It finds
// two kinds of them, by calm runs in a worker.
//
// First, the lock may write a value, such as a token, that depends on the time alone. In a simulation such values
// look unique, since on package time's clock no two processes see the same nanosecond. NotSearched compares the
// values that the lock writes in three runs: the second has another process, with other random numbers, at the
// same nanoseconds, and the third is the second a nanosecond later.
//
// Second, the lock may take package time for a time that others agree on. In a simulation they do: no scenario
// lets package time differ between two processes, only the clocks from [Client.Clock]. NotSearched compares the
// first run with one in which package time is ahead of all clocks, including the store's.
//
// It returns nothing for a lock that fails in one of these runs.
func NotSearched(ctx context.Context, w explore.Worker, c Cell) []string {
	h := explore.Hand{Worker: w}
	defer h.Close()
	p := c.Params
	c.Params = Params{Clients: 1, Rounds: 2, Followers: p.Followers, Servers: p.Servers, TTL: p.TTL, Lease: p.Lease}
	var written [twins][]string
	var recorded [twins]*explore.Recording
	for t := noTwin; t < twins; t++ {
		c.twin = t
		q := explore.Request{Cell: c.Encode(), Replay: true, Lenient: true, Record: true, Tape: t.seeds(c.processName(t.first()))}
		err := h.Do(ctx, q, func(r explore.Result) bool {
			if r.Recording != nil {
				recorded[t], written[t] = r.Recording, writtenBy(&r.Recording.History, c.processName(t.first()))
			}
			return true
		})
		if err != nil || len(written[t]) == 0 {
			return nil
		}
	}
	if value := timeAlone(written[noTwin], written[otherProcess], written[nextNanosecond]); value != "" {
		return []string{fmt.Sprintf("two processes that see the same time: what the lock writes (%s) is made of package time's nanoseconds alone, or of random numbers that are seeded with them. "+
			"Two processes that see the same time, as happens where clocks are coarse, would write the same and could release or extend each other's lock. "+
			"No schedule shows it, since no two simulated processes see the same nanosecond: add something random from crypto/rand, or what only this process has", value)}
	}
	if why := packageTimeIn(recorded[noTwin], recorded[packageTimeAhead]); why != "" {
		return []string{fmt.Sprintf("clocks of clients that differ: %s is package time, which all simulated processes share. "+
			"No schedule lets it differ between two of them, or from the store's time, as clocks of real machines do: use the clock of cell.Client.Clock, which scenarios skew, or the store's time", why)}
	}
	return nil
}

// timeAlone returns the first value that another process also writes at the same nanosecond,
// but not a nanosecond later; empty if there is none.
func timeAlone(one, other, later []string) string {
	for i := range min(len(one), len(other), len(later)) {
		if one[i] == other[i] && other[i] != later[i] {
			return one[i]
		}
	}
	return ""
}

// writtenBy returns the values that a process has written to keys, in order.
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
