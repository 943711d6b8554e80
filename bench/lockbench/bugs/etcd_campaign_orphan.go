package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	inEtcdProgram(trial.Bug{
		ID: "etcd-campaign-orphan", Property: checker.NoOrphan,
		About: "concurrency.Election: a Campaign whose wait fails forgets its key and leaves it.",
		From:  "etcd client v3.6.16, etcd-io/etcd#21128",
	}, use{make: newElection, sessions: 2, closes: true, compacts: true})
}
