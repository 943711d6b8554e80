package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onEtcd(trial.Bug{
		ID: "etcd-watch-now", Property: checker.Progress,
		About: "A waiter watches the key from now, and misses a deletion between its read and its watch.",
		From:  "see etcd/etcdlocks/flawed",
	}, "etcd-watch-now", "etcd")
}
