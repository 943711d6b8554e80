package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onMySQL(trial.Bug{
		ID: "mysql-row-autocommit", Property: checker.MutualExclusion,
		About: "SELECT ... FOR UPDATE outside of a transaction: the row is unlocked at once.",
		From:  "see mysql/sqllocks/flawed",
	}, "db-row-autocommit", "db-row")
}
