package checker

import (
	"github.com/lockpick-dev/lockpick/model"
)

// NoOrphan is violated when an acquisition that has ended leaves one of the lock's keys at an authority that responded
// then, and the key blocks a waiting client for longer than [Options].OrphanBound. An acquisition ends when its Acquire
// returns without the lock, given up and cancelled included, or when its first Release returns. If its thread has the lock
// by another entry as well, the acquisition ends with that entry.
//
// The time counts from that end, from the healing of the world or from the beginning of the wait, whichever is last. The
// waiting Acquire may be the same client's next one. A wait in which any Acquire succeeds does not count.
//
// These keys are excused:
//
//   - keys of crashed processes
//   - keys that no clean-up could have reached up to 10 ms after the end: on nodes
//     that were down, hung, cut off or refused everything ([model.Closed]), or at
//     an ensemble that elected a leader or had such a server
//   - keys that come back with a failover
//   - keys at a node that was no longer asked for them because they were being
//     moved to another node or from it
//   - keys left by a Release whose context ended and that did not report success
//   - keys of an inner entry whose own Release reported a failure
//   - the keys of late-orphan
//
// Everything else is the lock's fault: neither a cancelled Acquire nor the client library's own retries are an excuse. Not
// applicable without a bound, if the lock has no key, or if no acquisition with a key ended.
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
