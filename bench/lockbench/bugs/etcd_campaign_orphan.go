package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/etcd/clientlocks"
)

func init() {
	inEtcdProgram(trial.Bug{
		ID: "etcd-campaign-orphan", Property: checker.NoOrphan,
		About: "concurrency.Election: a Campaign whose wait fails forgets its key and leaves it.",
		From:  "etcd client v3.6.16, etcd-io/etcd#21128",
	}, clientlocks.Use{Make: clientlocks.NewElection, Sessions: 2, Closes: true, Compacts: true})
}
