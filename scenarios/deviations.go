package scenarios

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Deviations says what an exhaustive search of the cell takes for a deviation
// from the calm run, and how many of it the budget allows.
func (c Cell) Deviations() []string {
	p := c.Params
	l := link(p, nil)
	list := []string{
		fmt.Sprintf("which of the events that are due in the same %v goes first", sim.DefaultWindow),
		fmt.Sprintf("a segment that takes %v and not %v", l.Base+l.Jitter, l.Base),
	}
	if p.Resets+p.Failovers+p.Restarts+p.CleanRestarts+p.LostReplies > 0 {
		list = append(list, "whether a client can still read what had arrived, and was not read, when a connection is reset")
	}
	add := func(budget int, one, many string, lengths ...string) {
		what := one
		if budget > 1 {
			what = many
		}
		if len(lengths) > 0 {
			what += " " + wording.Or(lengths)
		}
		switch {
		case budget == 1:
			list = append(list, what+", once at most")
		case budget > 1:
			list = append(list, fmt.Sprintf("%s, %d times at most", what, budget))
		}
	}
	add(p.Delays, "a segment that is held back for", "segments that are held back for", lateBy(p, sim.Delay).texts()...)
	add(p.LateReplies, "a segment from Redis to a client that is held back for", "segments from Redis to clients that are held back for", lateBy(p, lateReplyFault).texts()...)
	add(p.LateRequests, "a segment from a client to Redis that is held back for", "segments from clients to Redis that are held back for", lateBy(p, lateRequestFault).texts()...)
	add(p.Pauses, "a pause of a client for", "pauses of clients for", pauseLengths(p).texts()...)
	add(p.Failovers, "a crash of the primary with the promotion of a replica", "crashes of the primary with the promotion of a replica")
	add(p.Partitions, "a partition between a primary, with some of the clients, and the others for", "partitions between a primary, with some of the clients, and the others for", partitionLengths(p).texts()...)
	if p.Partitions > 0 {
		list = append(list, "in which direction a partition holds what is sent, and which replica is promoted meanwhile, if one is")
	}
	add(p.Restarts, "a restart of a primary with all of its data, without the last second of it or empty", "restarts of primaries with all of their data, without the last second of it or empty")
	add(p.CleanRestarts, "a restart of a primary with all of its data", "restarts of primaries with all of their data")
	add(p.Cancels, "an end of the context of an Acquire", "ends of the context of an Acquire")
	add(p.Resets, "a reset of a connection to Redis", "resets of connections to Redis")
	add(p.LostReplies, "an answer of Redis that is lost with its connection", "answers of Redis that are lost with their connections")
	add(p.Crashes, "a crash of a client", "crashes of clients")
	add(p.Hangs, "a primary that hangs for", "primaries that hang for", hangLengths(p).texts()...)
	add(p.Skews, "a client whose clock", "clients whose clocks are off: one that", skewTexts(p)...)
	add(p.ClockJumps, "a clock of a client that jumps", "clocks of clients that jump", jumpTexts(p)...)
	add(p.ServerClockJumps, "a clock of a Redis node that jumps", "clocks of Redis nodes that jump", jumpTexts(p)...)
	return list
}

func skewTexts(p Params) (words []string) {
	for _, s := range skewClasses(p) {
		words = append(words, render.ClockText(&model.Observation{Kind: model.ClockOff, Ahead: s.offset, Rate: s.rate}))
	}
	return words
}

func jumpTexts(p Params) (words []string) {
	for _, by := range jumpsBy(p) {
		words = append(words, strings.TrimPrefix(render.ClockText(&model.Observation{Kind: model.ClockJumped, Ahead: by}), "jumps "))
	}
	return words
}
