package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-no-fence", Property: checker.NoLostUpdate, Limit: true, Shows: noTokenTwice,
		About: "No fencing token: the primary fails over without the key, two clients hold the lock, and an update is lost.",
		From:  "Kleppmann, \"How to do distributed locking\"",
	}, "setpx", "setpx-fenced-elsewhere")
}

// noTokenTwice reports whether no token was granted twice. Where the counter's node restarts and forgets, the repaired lock grants one
// twice and loses an update as well: that is another bug.
func noTokenTwice(h *model.History, _ *model.Verdict) bool {
	granted := map[int64]bool{}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Kind != model.Acquire || op.Result != model.OK || !op.Fenced {
			continue
		}
		if granted[op.Token] {
			return false
		}
		granted[op.Token] = true
	}
	return true
}
