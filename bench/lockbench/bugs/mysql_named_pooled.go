package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onMySQL(trial.Bug{
		ID: "mysql-named-pooled", Property: checker.MutualExclusion,
		About: "GET_LOCK and RELEASE_LOCK through a pool: each may get another connection.",
		From:  "see mysql/sqllocks/flawed; many libraries",
	}, "db-named-pooled", "db-named")
}
