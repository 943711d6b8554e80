package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-getset", Property: checker.OwnerOnlyRelease,
		About: "SETNX, GETSET: a client that is too late overwrites the timestamp, and its release removes the lock of another.",
		From:  "SETNX documentation, \"Design pattern: locking with !SETNX\"",
	}, "setnx-getset", "pull")
}
