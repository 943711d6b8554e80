package objects

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// leased is the state of a [model.KindLeased]: a mutex whose holds may end by
// themselves. A hold is exclusive up to the event Until, which the client learnt from
// its answer or read off its own clock. From then on a Lapse may end it, or may not:
// stores may keep it longer than promised.
//
//   - Acquire and Release are those of a mutex. So a Release that succeeded shows that
//     the hold still existed. The hold of an Acquire of unknown outcome may end by
//     itself at any time, since its Until is unknown.
//   - Extend, ok: the hold was there, and Until is put off (or moved forward).
//     Failed or unknown: nothing changed. (One of unknown outcome may have
//     put the end off in the store, but the client cannot have relied on it,
//     and from the old Until on the hold may last, or end, anyhow.)
//   - Lapse, of a lease: the hold ends, unless its Until is later meanwhile. Of a crash
//     or an Expire: it ends.
//
// Jepsen's Hazelcast tests have no leases: a session that expires there
// releases the lock without an operation in the history, and such a history is
// illegal for their models.
type leased struct {
	hold
	until int64 // 0 if it has no end
}

func (l leased) Equal(other leased) bool { return l == other }
func (l leased) Hash() uint64            { return uint64(l.digest().int(l.until)) }

func (l leased) String() string {
	if l.free() || l.until == 0 {
		return l.hold.String()
	}
	return fmt.Sprintf("%s until %d", l.hold, l.until)
}

func stepLeased(l leased, a Action, out model.Outcome) (leased, bool) {
	c, taken, legal := a.Call, false, true
	switch {
	case a.Part == Lapse:
		if l.lapses(a) && ranOut(a, l.until) {
			l = leased{}
		}
	case c.Op == model.Release:
		if l.hold, legal = l.release(c, out); l.free() {
			l.until = 0
		}
	case c.Op == model.Extend:
		if legal = out != model.OK || l.meant(c); legal && out == model.OK {
			l.until = c.Until
		}
	default:
		if l.hold, taken, legal = l.acquire(c, out); taken {
			l.until = valid(c)
		}
	}
	return l, legal
}

// ranOut reports whether a Lapse may end a hold that is valid until an event. The
// Lapse of a lease may not if the lease has been extended since; the Lapse of a crash
// or an Expire always may.
func ranOut(a Action, until int64) bool {
	if a.Call.Op == model.Expire || a.Call.Op == model.Crash {
		return true
	}
	return until != 0 && until <= valid(a.Call)
}
