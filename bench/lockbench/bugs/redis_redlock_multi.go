package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-redlock-multi", Property: checker.TruthfulRelease,
		About: "A lock on five servers whose release does not say that the lock was lost.",
		From:  "see lock/redislocks/flawed",
	}, "redlock-multi", "redlock")
}
