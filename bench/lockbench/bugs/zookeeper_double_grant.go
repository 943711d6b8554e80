package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onZooKeeper(trial.Bug{
		ID: "zookeeper-double-grant", Property: checker.TruthfulAcquire,
		About: "zk.Lock never checks that its own znode is still there: it grants a lock whose session has ended.",
		From:  "go-zookeeper/zk v1.0.4",
	}, "zklib", "zookeeper")
}
