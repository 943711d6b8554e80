package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-cancel-orphan", Property: checker.NoOrphan,
		About: "An Acquire whose context ends while its SET is under way leaves the key behind.",
		From:  "go-redsync/redsync v4.18.1 has the same",
	}, "setpx", "pull")
}
