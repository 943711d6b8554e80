package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onPostgres(trial.Bug{
		ID: "postgres-cancelled", Property: checker.Progress,
		About: "pg_advisory_unlock with the context of the work: when that has ended the session keeps the lock, in the pool.",
		From:  "see postgres/pglocks/flawed; reported of libraries",
	}, "pg-advisory-cancelled", "pg-advisory")
}
