package traces

import (
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/model"
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

// claim is the stretch in which a client believes that it holds the lock: from
// Acquire's return to the earliest of its call of Release, the end of the
// validity that it claims (after its own clock), the signal of its loss, and
// its crash.
type claim struct {
	acquire  *model.Operation
	from, to model.Stamp
	end      claimEnd
}

// covers reports whether the client believed at that event that it held the
// lock.
func (c claim) covers(seq int64) bool { return c.from.Seq <= seq && seq < c.to.Seq }

// claims are the claims of all successful acquisitions, in the order of the
// acquisitions' IDs.
func claims(t *Trace) []claim {
	leased := map[int]time.Duration{} // ends as extended
	released := map[int]model.Stamp{}
	crashed := crashes(t)
	for i := range t.History.Operations {
		o := &t.History.Operations[i]
		switch {
		case o.Kind == model.Release:
			if _, again := released[o.Acquisition]; !again {
				released[o.Acquisition] = o.Call
			}
		case o.Kind == model.Extend && o.Result == model.OK && o.Until > 0, o.Kind == model.Read || o.Kind == model.Write:
			leased[o.Acquisition] = max(leased[o.Acquisition], o.Until)
		}
	}
	var all []claim
	for i := range t.History.Operations {
		o := &t.History.Operations[i]
		if o.Kind != model.Acquire || o.Result != model.OK || !o.Return.Happened() {
			continue
		}
		c := claim{acquire: o, from: o.Return, to: model.Stamp{Seq: t.lastSeq() + 1, At: t.endAt()}, end: endOpen}
		c.stop(released[o.ID], endReleased)
		c.stop(o.Lost, endLost)
		for _, at := range crashed[o.Client] {
			if at.Seq > o.Return.Seq {
				c.stop(at, endCrashed)
				break
			}
		}
		if o.Leased {
			until := max(o.Until, leased[o.ID])
			c.stop(model.Stamp{Seq: t.seqAfter(until), At: max(until, o.Return.At)}, endExpired)
		}
		all = append(all, c)
	}
	return all
}

// stop ends the claim at a stamp if it did not end before.
func (c *claim) stop(at model.Stamp, end claimEnd) {
	if at.Happened() && at.At < c.to.At && at.Seq <= c.to.Seq || at.Happened() && at.Seq < c.to.Seq {
		c.to, c.end = at, end
	}
}

// crashes are, by process, when it crashed.
func crashes(t *Trace) map[string][]model.Stamp {
	all := map[string][]model.Stamp{}
	for _, o := range t.History.Observations {
		if o.Kind == model.Crashed {
			all[o.Node] = append(all[o.Node], o.Stamp)
		}
	}
	return all
}

// seqAfter is the number of the first event at or after a time; one more than
// the last if there is none.
func (t *Trace) seqAfter(at time.Duration) int64 {
	i := sort.Search(len(t.Events), func(i int) bool { return t.Events[i].At >= at })
	if i < len(t.Events) {
		return t.Events[i].Seq
	}
	return t.lastSeq() + 1
}

// acquisitionOf is the acquisition that an operation belongs to, 0 if none.
func (t *Trace) acquisitionOf(op int) int {
	if o := t.History.Operation(op); o != nil {
		return o.Acquisition
	}
	return 0
}
