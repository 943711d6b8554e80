package checker

import "github.com/lockpick-dev/lockpick/model"

// LateOrphan is a weak property: [NoOrphan] for keys that a clean-up cannot find in time. These are keys written after the
// end of the acquisition; keys written by a delayed request within 10 ms of that end; and keys written by a delayed
// request while the acquisition waited only for an answer that the node had sent before and that was delayed until the
// end. It also covers keys left by a Release that reported an error other than ErrNotHeld after a fault had struck: its
// caller knows that the key may be left. To satisfy it, a failed Acquire must clean up, and keep trying for longer than
// the network delays messages.
const LateOrphan = "late-orphan"

var lateOrphan = Property{
	ID: LateOrphan, Letter: "k", Legend: "a late request leaves its key behind",
	About: "a request that takes effect after its Acquire or Release, or a Release that reports an error, leaves nothing that blocks others",
	Description: model.Description{
		Asks:   "No request that arrives after the clean-up leaves a {record} behind.",
		Window: "an orphan blocks the others",
	},
	Doc: "Like `no-orphan`, for keys that are written after the `Acquire` or the `Release` is over. A request that the network holds back " +
		"cannot be cleaned up before it arrives. The property also covers what a `Release` could not remove and reported by an error.",
	Weak: true, NeedsHolder: true,
	Verdict: func(j *Judge) model.Verdict { return orphans{j}.verdict(true) },
}
