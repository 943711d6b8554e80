package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-check-subscribe", Property: checker.BoundedWakeup,
		About: "A waiter looks at the key, then subscribes to the channel: a release between the two wakes nobody.",
		From:  "see lock/redislocks/flawed",
	}, "check-subscribe", "watchdog")
}
