package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onZooKeeper(trial.Bug{
		ID: "zookeeper-printed", Property: checker.MutualExclusion,
		About: "The lock recipe as a widely read listing prints it.",
		From:  "see zookeeper/zklocks/flawed",
	}, "zookeeper-as-printed", "zookeeper")
}
