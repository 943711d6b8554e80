package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onPostgres(trial.Bug{
		ID: "postgres-conn-returned", Property: checker.Progress,
		About: "An advisory lock is released by closing its connection, which only goes back to the pool.",
		From:  "see postgres/pglocks/flawed; reported of libraries",
	}, "pg-advisory-conn-returned", "pg-advisory")
}
