package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/etcd/clientlocks"
)

func init() {
	inEtcdProgram(trial.Bug{
		ID: "etcd-mutex-orphan", Property: checker.NoOrphan,
		About: "concurrency.Mutex: the answer to Lock is lost, and Unlock leaves the key for as long as the session lives.",
		From:  "etcd client v3.6.16; not so in v3.5.35",
	}, clientlocks.Use{Make: clientlocks.NewMutex, Sessions: 2, Waits: true})
}
