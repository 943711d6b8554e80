package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onPostgres(trial.Bug{
		ID: "postgres-lease-excluded", Property: checker.MutualExclusion,
		About: "A lease whose end is computed before the wait for its row.",
		From:  "see postgres/pglocks/flawed; reported of libraries",
	}, "pg-lease-excluded", "pg-lease")
}
