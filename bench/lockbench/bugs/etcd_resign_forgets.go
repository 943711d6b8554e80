package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/etcd/clientlocks"
)

func init() {
	inEtcdProgram(trial.Bug{
		ID: "etcd-resign-forgets", Property: checker.Progress,
		About: "concurrency.Election: a Resign that fails forgets its key, and the next one does nothing.",
		From:  "etcd client v3.6.16, etcd-io/etcd#22123",
	}, clientlocks.Use{Make: clientlocks.NewElection, Sessions: 2, Closes: true})
}
