package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-void-printed", Property: checker.MutualExclusion,
		About: "A listing whose lock method returns nothing, so a caller does not learn that it has no lock.",
		From:  "see lock/redislocks/flawed",
	}, "setpx-void-as-printed", "setpx")
}
