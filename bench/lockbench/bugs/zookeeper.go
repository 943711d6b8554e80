package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/zookeeper/builtin"
	"github.com/lockpick-dev/lockpick/zookeeper/real"
)

// onZooKeeper adds a bug of a lock over ZooKeeper that Lockpick has, by the IDs of the bad lock and the good one.
func onZooKeeper(b trial.Bug, bad, good string) {
	b.Bad, b.Good, b.Real = named(builtin.Locks(), bad), named(builtin.Locks(), good), real.New
	add(b)
}
