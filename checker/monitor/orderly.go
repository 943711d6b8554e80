package monitor

import (
	"math"

	"github.com/lockpick-dev/lockpick/model"
)

// orderly reports whether a history of a plain mutex is certainly legal, in one pass over the calls and one over the
// holds. Most long histories are. The monitor judges all others.
//
// It handles histories with few, sequential owners, whose calls are all answered:
// acquires, tries that may fail, releases of what the owner holds.
// Let a hold be [ca,ra], [cr,rr] by the events of its acquire and its release.
//
//   - The history is legal but for the tries that failed if ra0 < cr0 < ra1 < cr1
//     and so on: then every acquire can take effect at its return and every
//     release at its call.
//   - A hold may be longer than that, from ca to rr, as long as its neighbours let
//     it. If ca of the next one is not after rr, the lock can change hands at one
//     instant and be held all the time between them; otherwise it is certainly free
//     from rr to ca and can be held until rr and from ca on, in both cases for all
//     tries at once. So a try [x,y] that failed is legal unless rr < x and y < ca
//     for the holds before and after it.
//
// The monitor also judges histories in which two relevant events have the same number.
func orderly(calls []model.Call) bool {
	o := orderlyPass{holds: make([]span, 0, len(calls)/2)}
	for i := range calls {
		if i > 0 && calls[i].Call < calls[i-1].Call || !o.take(&calls[i]) {
			return false
		}
	}
	if !settled(o.holds) {
		return false
	}
	for i := range o.holds {
		h := &o.holds[i]
		if h.cr <= h.ra || i+1 < len(o.holds) && h.cr >= o.holds[i+1].ra {
			return false
		}
	}
	for _, t := range o.tries {
		if !o.explains(t) {
			return false
		}
	}
	return true
}

// span is a hold, by the events of its acquire and its release.
type span struct{ ca, ra, cr, rr int64 }

// settled sorts holds from the order of their calls into that of their returns. It reports whether they were as close to
// it as holds of a few sequential owners are.
func settled(holds []span) bool {
	moves := 0
	for i := 1; i < len(holds); i++ {
		h, j := holds[i], i
		for ; j > 0 && holds[j-1].ra > h.ra; j-- {
			holds[j] = holds[j-1]
			moves++
		}
		holds[j] = h
		if moves > manyOwners*len(holds) {
			return false
		}
	}
	return true
}

// orderlyPass is the state of the pass over the calls.
type orderlyPass struct {
	holds  []span
	tries  []*model.Call
	owners []orderlyOwner
	byEnd  [manyOwners]int // the owner to try first, by the last character of its name
	at     int             // the hold after which the last try was looked up
}

// orderlyOwner is one owner, the event of its last answer, and its hold.
type orderlyOwner struct {
	client        string
	thread        int
	answered      int64
	hold, acquire int // index and ID; hold is -1 if it has none
}

// manyOwners is the number of owners from which a linear search would be too slow.
const manyOwners = 32

// take reports whether orderly can handle the call.
func (o *orderlyPass) take(c *model.Call) bool {
	if c.Pending() || c.Return <= c.Call {
		return false
	}
	w := o.of(c)
	if w == nil || w.answered >= c.Call {
		return false
	}
	w.answered = c.Return
	switch ok := c.Outcome == model.OK; c.Op {
	case model.Acquire:
		if ok {
			return o.acquired(w, c)
		}
		if c.Try {
			o.tries = append(o.tries, c)
		}
		return c.Outcome == model.Failed
	case model.Release:
		if !ok || w.hold < 0 || c.Of != 0 && c.Of != w.acquire {
			return false
		}
		h := &o.holds[w.hold]
		h.cr, h.rr, w.hold = c.Call, c.Return, -1
		return true
	}
	return false
}

func (o *orderlyPass) acquired(w *orderlyOwner, c *model.Call) bool {
	if w.hold >= 0 {
		return false
	}
	w.hold, w.acquire = len(o.holds), c.ID
	o.holds = append(o.holds, span{c.Call, c.Return, math.MaxInt64, math.MaxInt64})
	return true
}

// of returns the owner of a call, nil if there are too many owners.
func (o *orderlyPass) of(c *model.Call) *orderlyOwner {
	n := len(c.Client)
	if n == 0 || c.Owner != "" {
		return nil // an owner may call from several clients
	}
	// Names that are alike differ at their end.
	first := &o.byEnd[int(c.Client[n-1])%manyOwners]
	for i, tried := *first, 0; tried < len(o.owners); tried++ {
		w := &o.owners[i]
		if w.thread == c.Thread && w.client == c.Client {
			*first = i
			return w
		}
		if i++; i == len(o.owners) {
			i = 0
		}
	}
	if len(o.owners) == manyOwners {
		return nil
	}
	*first = len(o.owners)
	o.owners = append(o.owners, orderlyOwner{client: c.Client, thread: c.Thread, answered: -1, hold: -1})
	return &o.owners[*first]
}

// explains reports whether the holds explain a failed try.
func (o *orderlyPass) explains(t *model.Call) bool {
	for o.at < len(o.holds) && o.holds[o.at].ra <= t.Return {
		o.at++
	}
	for o.at > 0 && o.holds[o.at-1].ra > t.Return {
		o.at--
	}
	return o.at > 0 && o.holds[o.at-1].rr > t.Call || o.at < len(o.holds) && o.holds[o.at].ca < t.Return
}
