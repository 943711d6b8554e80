package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-setnx-timestamp", Property: checker.OwnerOnlyRelease,
		About: "SETNX with a timestamp as the value, and DEL of a lock that looks old: two clients see the same old lock.",
		From:  "SETNX documentation, the version without GETSET",
	}, "setnx-timestamp-del", "pull")
}
