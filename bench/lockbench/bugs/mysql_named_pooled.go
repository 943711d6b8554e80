package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/traces"
)

func init() {
	onMySQL(trial.Bug{
		ID: "mysql-named-pooled", Property: checker.MutualExclusion,
		About:    "GET_LOCK and RELEASE_LOCK through a pool: each may get another connection.",
		From:     "see mysql/sqllocks/flawed; many libraries",
		Stressed: []traces.Parameter{{Name: "threads", Value: "2"}}, // as the scenarios of Lockpick have
	}, "db-named-pooled", "db-named")
}
