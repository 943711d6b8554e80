package objects

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// reentrantFenced is the state of a [model.KindReentrantFenced]: a re-entrant mutex
// every hold of which has one token.
//
//   - The first entry of a hold that returns a token must return one that is
//     greater than all before; and so must a later entry, if none of this hold
//     returned one so far.
//   - The other entries return the same token, or none.
//
// This is Jepsen's ReentrantFencedMutex, whose invalid fence is an Acquire that
// is not Fenced here. (It keeps the owner of the greatest fence besides, for
// its messages.)
type reentrantFenced struct {
	entries
	fence
	// own is set if the hold has a token, which is then the last one given.
	own bool
}

func (r reentrantFenced) Equal(other reentrantFenced) bool { return r == other }

func (r reentrantFenced) Hash() uint64 {
	return uint64(r.fence.digest(r.hold.digest().int(int64(r.count))).bool(r.own))
}

func (r reentrantFenced) String() string {
	if r.own {
		return fmt.Sprintf("%s, with token %d", r.entries, r.last)
	}
	return r.entries.String() + ", " + r.fence.String()
}

func stepReentrantFenced(limit int) func(reentrantFenced, Action, model.Outcome) (reentrantFenced, bool) {
	step := stepReentrant(limit)
	return func(r reentrantFenced, a Action, out model.Outcome) (reentrantFenced, bool) {
		plain, legal := step(reentrant{r.entries}, a, out)
		if r.entries = plain.entries; r.free() {
			r.own = false
		}
		c := a.Call
		switch {
		case !legal || c.Op != model.Acquire || a.Part != Whole || out != model.OK || !c.Fenced:
		case r.own:
			legal = c.Token == r.last
		default:
			r.fence, legal = r.grows(c.Token)
			r.own = true
		}
		return r, legal
	}
}
