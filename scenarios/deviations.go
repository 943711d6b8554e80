package scenarios

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// Deviations says what an exhaustive search of the cell takes for a deviation
// from the calm run, and how many of it the budget allows.
func (c Cell) Deviations() []string {
	p := c.Params
	l := link(p)
	list := []string{
		fmt.Sprintf("which of the events that are due in the same %v goes first", sim.DefaultWindow),
		fmt.Sprintf("a segment that takes %v and not %v", l.Base+l.Jitter, l.Base),
	}
	add := func(budget int, one, many string, lengths ...time.Duration) {
		what := one
		if budget > 1 {
			what = many
		}
		if len(lengths) > 0 {
			what += " for " + either(lengths)
		}
		switch {
		case budget == 1:
			list = append(list, what+", once at most")
		case budget > 1:
			list = append(list, fmt.Sprintf("%s, %d times at most", what, budget))
		}
	}
	add(p.Delays, "a segment that is held back", "segments that are held back", l.Late...)
	add(p.Pauses, "a pause of a client", "pauses of clients", newPauses(nil, p).length...)
	add(p.Failovers, "a crash of the primary with the promotion of a replica", "crashes of the primary with the promotion of a replica")
	add(p.Cancels, "an end of the context of an Acquire", "ends of the context of an Acquire")
	add(p.Resets, "a reset of a connection to Redis", "resets of connections to Redis")
	return list
}

// either joins durations: 1s, 2s or 7s.
func either(list []time.Duration) string {
	var words []string
	for _, d := range list {
		words = append(words, d.String())
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
