package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-watchdog-lease", Property: checker.MutualExclusion,
		About: "A lock with a watchdog that is started only for locks without a lease of their own.",
		From:  "Redisson's lock(leaseTime), see lock/redislocks/flawed",
	}, "watchdog-leased", "watchdog")
}
