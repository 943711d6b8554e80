package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/real/redis"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// onRedis adds a bug of a lock over Redis that Lockpick has, by the IDs of the bad lock and the good one.
func onRedis(b trial.Bug, bad, good string) {
	b.Bad, b.Good, b.Real = named(builtin.Locks(), bad), named(builtin.Locks(), good), redis.New
	add(b)
}
