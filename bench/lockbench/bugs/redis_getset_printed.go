package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-getset-printed", Property: checker.MutualExclusion,
		About: "The GETSET lock as a widely read document prints it.",
		From:  "see lock/redislocks/flawed",
	}, "setnx-getset-as-printed", "pull")
}
