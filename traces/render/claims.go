package render

import (
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// claimEnd is why a client stopped believing that it holds the lock.
type claimEnd string

const (
	endReleased claimEnd = "it calls Release"
	endExpired  claimEnd = "its lease ends by its own clock"
	endLost     claimEnd = "it is told that the lease is lost"
	endCrashed  claimEnd = "it crashes"
	endOpen     claimEnd = "the run ends"
)

var claimEnds = map[model.ClaimStop]claimEnd{
	model.StopReleased: endReleased,
	model.StopLost:     endLost,
	model.StopCrashed:  endCrashed,
	"":                 endOpen,
}

// claim is a [model.Claim] as texts and pictures show it: with the places between
// which the client believes that it holds the lock.
type claim struct {
	acquire  *model.Operation
	from, to model.Stamp
	end      claimEnd
	// until is the end by the client's clock that the lease had at last, if it
	// has one.
	until time.Duration
	// again is set if the lease had run out, and the client learnt at from that it
	// goes on.
	again bool
}

// covers reports whether the client believed at that event that it held the
// lock.
func (c claim) covers(seq int64) bool { return c.from.Seq <= seq && seq < c.to.Seq }

// claims are the claims of all successful acquisitions, in the order of the
// acquisitions' IDs.
func claims(t *traces.Trace) []claim {
	var all []claim
	for _, m := range model.Claims(&t.History) {
		c := claim{acquire: m.Acquire, from: m.Start, again: m.Start != m.Acquire.Return, until: m.Until}
		if c.again && !m.Stands(m.Start) {
			continue
		}
		c.to, c.end = endOfClaim(t, &m)
		all = append(all, c)
	}
	return all
}

// endOfClaim is where a claim ends, and why.
func endOfClaim(t *traces.Trace, m *model.Claim) (to model.Stamp, end claimEnd) {
	to, end = m.Stop, claimEnds[m.Stopped]
	if !to.Happened() {
		to = model.Stamp{Seq: t.LastSeq() + 1, At: t.EndAt()}
	}
	if !m.Timed {
		return to, end
	}
	lapse := model.Stamp{Seq: seqAfter(t, m.Until), At: max(m.Until, m.Start.At)}
	if lapse.At < to.At && lapse.Seq <= to.Seq || lapse.Seq < to.Seq {
		return lapse, endExpired
	}
	return to, end
}

// seqAfter is the number of the first event at or after a time; one more than the last if
// there is none. If the trace leaves events out there, it is the first that the history
// names.
func seqAfter(t *traces.Trace, at time.Duration) int64 {
	i := sort.Search(len(t.Events), func(i int) bool { return t.Events[i].At >= at })
	first := t.LastSeq() + 1
	if i < len(t.Events) {
		first = t.Events[i].Seq
	}
	if len(t.Gaps) == 0 {
		return first
	}
	for i := range t.History.Operations {
		o := &t.History.Operations[i]
		for _, s := range []model.Stamp{o.Call, o.Return} {
			if s.Happened() && s.At >= at {
				first = min(first, s.Seq)
			}
		}
	}
	for i := range t.History.Observations {
		if o := &t.History.Observations[i]; o.At >= at {
			first = min(first, o.Seq)
		}
	}
	return first
}

// acquisitionOf is the acquisition that an operation belongs to, 0 if none.
func acquisitionOf(t *traces.Trace, op int) int {
	if o := t.History.Operation(op); o != nil {
		return o.Acquisition
	}
	return 0
}
