package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onZooKeeper(trial.Bug{
		ID: "zookeeper-orphan", Property: checker.NoOrphan,
		About: "zk.Lock: an error after the znode was created leaves it, and the client's next Lock waits behind it.",
		From:  "go-zookeeper/zk v1.0.4",
	}, "zklib", "zookeeper")
}
