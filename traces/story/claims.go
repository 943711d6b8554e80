package story

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// ClaimEnd is why a client stopped believing that it holds the lock.
type ClaimEnd string

const (
	endReleased ClaimEnd = "it calls Release"
	endExpired  ClaimEnd = "its lease ends by its own clock"
	endLost     ClaimEnd = "it learns that the lease is lost"
	endCrashed  ClaimEnd = "it crashes"
	endOpen     ClaimEnd = "the run ends"
)

var claimEnds = map[model.ClaimStop]ClaimEnd{
	model.StopReleased: endReleased,
	model.StopLost:     endLost,
	model.StopCrashed:  endCrashed,
	"":                 endOpen,
}

// Claim is a [model.Claim] for texts and pictures, with the places between which the client believes that it holds the
// lock.
type Claim struct {
	Acquire  *model.Operation
	From, To model.Stamp
	End      ClaimEnd
	// Until is the last end of the lease by the client's clock, if it has one.
	Until time.Duration
	// Resumed is set if the lease had expired and the client learnt at From that it goes on.
	Resumed bool
}

// Covers reports whether the client believed at the event that it held the lock.
func (c Claim) Covers(seq int64) bool { return c.From.Seq <= seq && seq < c.To.Seq }

// claims returns the claims of all successful acquisitions, in the order of the
// acquisitions' IDs.
func claims(t *traces.Trace) []Claim {
	var all []Claim
	for _, m := range model.Claims(&t.History) {
		c := Claim{Acquire: m.Acquire, From: m.Start, Resumed: m.Start != m.Acquire.Return, Until: m.Until}
		if c.Resumed && !m.Stands(m.Start) {
			continue
		}
		c.To, c.End = endOfClaim(t, &m)
		all = append(all, c)
	}
	return all
}

// endOfClaim returns where a claim ends, and why.
func endOfClaim(t *traces.Trace, m *model.Claim) (to model.Stamp, end ClaimEnd) {
	to, end = m.Stop, claimEnds[m.Stopped]
	if !to.Happened() {
		to = RunEnd(t)
	}
	if !m.Timed {
		return to, end
	}
	lapse := model.Stamp{Seq: SeqAfter(t, m.Until), At: max(m.Until, m.Start.At)}
	if lapse.At < to.At && lapse.Seq <= to.Seq || lapse.Seq < to.Seq {
		return lapse, endExpired
	}
	return to, end
}
