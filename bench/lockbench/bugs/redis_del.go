package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-del", Property: checker.OwnerOnlyRelease,
		About: "DEL without a look at whose key it is: a holder whose lease has ended removes the lock of another client.",
		From:  "SETNX documentation's early pattern; redis-lock 0.1.4 (npm, #29)",
	}, "setpx-del", "setpx")
}
