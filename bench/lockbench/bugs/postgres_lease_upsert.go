package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onPostgres(trial.Bug{
		ID: "postgres-lease-upsert", Property: checker.MutualExclusion,
		About: "A lease that is extended by an upsert, which also takes another's.",
		From:  "see postgres/pglocks/flawed; reported of libraries",
	}, "pg-lease-upsert", "pg-lease")
}
