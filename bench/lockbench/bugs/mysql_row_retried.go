package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onMySQL(trial.Bug{
		ID: "mysql-row-retried", Property: checker.TruthfulAcquire,
		About: "A statement is repeated after a deadlock, though the server has ended the transaction and its locks.",
		From:  "see mysql/sqllocks/flawed",
	}, "db-row-retried", "db-row")
}
