package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-setnx", Property: checker.Progress,
		About: "SETNX without an expiry: a lock whose holder dies, or whose answer is lost, is never free again.",
		From:  "SETNX documentation's first pattern",
	}, "setnx", "setpx")
}
