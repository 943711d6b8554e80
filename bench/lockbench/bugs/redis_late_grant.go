package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-late-grant", Property: checker.TruthfulAcquire,
		About: "The answer to SET NX PX comes after the lease: the lock is reported as acquired though it is over.",
		From:  "bsm/redislock v0.10.0, and most clients",
	}, "setpx", "pull")
}
