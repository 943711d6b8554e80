package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-getset-nil", Property: checker.MutualExclusion,
		About: "The GETSET lock, which takes an empty answer for an old lock.",
		From:  "a common reading of the SETNX pattern",
	}, "setnx-getset-nil", "pull")
}
