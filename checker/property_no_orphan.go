package checker

import (
	"github.com/lockpick-dev/lockpick/model"
)

// NoOrphan is violated when an acquisition that has ended leaves one of the lock's
// keys at an authority that responded then, and the key blocks a waiting client for
// longer than [Options].OrphanBound. An acquisition ends when its Acquire returns
// without the lock, given up and cancelled included, or when its first Release
// returns.
//
// The time counts from that end, from the healing of the world or from the
// beginning of the wait, whichever is last. The same client's next Acquire can be
// the waiting one. A wait in which any Acquire succeeds does not count. Excused are
// keys of crashed processes, keys on nodes that were down, hung or cut off (or at
// an ensemble of which a server was, or that elected a leader meanwhile), or that refused everything ([model.Closed]), until the end or
// within 10 ms after it, in which no clean-up could have been answered, keys that
// come back with a failover, keys at a node that was not asked
// for them any more because they were being moved to another or from it, keys left by a Release whose own context has ended
// and that did not report success, and the cases of late-orphan. If the thread of an acquisition has the lock by
// another entry as well, the acquisition ends with that entry; a failure that its
// own Release reported is excused. Everything else is the lock's fault: a cancelled
// Acquire is no excuse, nor are the client library's own retries. Not applicable
// without a bound, if the lock has no key, or if no acquisition with a key ended.
const NoOrphan = "no-orphan"

var noOrphan = Property{
	ID: NoOrphan, Letter: "K", Legend: "leaves its key behind",
	About: "an acquisition that failed or was released leaves nothing in the store that blocks others",
	Description: model.Description{
		Asks:   "No {record} is left behind by an acquisition that failed or was released.",
		Window: "an orphan blocks the others",
	},
	Doc: "A client that failed to acquire, gave up or has released leaves no key behind that keeps others waiting. An `Acquire` that is " +
		"cancelled, or whose answer was lost, may have taken the lock nevertheless. Its clean-up needs a context of its own: the caller's " +
		"has just ended.",
	NeedsHolder: true,
	Verdict:     func(j *Judge) model.Verdict { return orphans{j}.verdict(false) },
}
