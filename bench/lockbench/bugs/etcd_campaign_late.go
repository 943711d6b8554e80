package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onEtcd(trial.Bug{
		ID: "etcd-campaign-late", Property: checker.TruthfulAcquire,
		About: "concurrency.Election: Campaign does not look whether its own key is still there when its turn has come.",
		From:  "etcd client v3.6.16",
	}, "etcd-election", "etcd")
}
