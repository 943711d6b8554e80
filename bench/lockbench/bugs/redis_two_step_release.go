package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onRedis(trial.Bug{
		ID: "redis-two-step-release", Property: checker.OwnerOnlyRelease,
		About: "GET, compare, DEL: the lease ends between GET and DEL, and DEL removes the lock of another client.",
		From:  "redis.io, \"Distributed Locks with Redis\" (why the release is a script); many libraries",
	}, "setpx-twostep", "setpx")
}
