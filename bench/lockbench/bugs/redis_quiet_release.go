package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-quiet-release", Property: checker.TruthfulRelease,
		About: "A listing whose release does not say that the lock was another's.",
		From:  "see lock/redislocks/flawed",
	}, "setpx-quiet-release-as-printed", "pull")
}
