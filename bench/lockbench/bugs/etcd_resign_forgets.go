package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	inEtcdProgram(trial.Bug{
		ID: "etcd-resign-forgets", Property: checker.Progress,
		About: "concurrency.Election: a Resign that fails forgets its key, and the next one does nothing.",
		From:  "etcd client v3.6.16, etcd-io/etcd#22123",
	}, use{make: newElection, sessions: 2, closes: true})
}
