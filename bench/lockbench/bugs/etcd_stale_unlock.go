package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/etcd/clientlocks"
)

func init() {
	inEtcdProgram(trial.Bug{
		ID: "etcd-stale-unlock", Property: checker.MutualExclusion,
		About: "concurrency.Mutex: an Unlock that is called again deletes a newer lock of its session.",
		From:  "etcd client v3.6.16, etcd-io/etcd#22082",
	}, clientlocks.Use{Make: clientlocks.NewMutex, Sessions: 1, Later: true})
}
