package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onMySQL(trial.Bug{
		ID: "mysql-row-noted", Property: checker.Progress,
		About: "The holder takes a second connection from the pool while it holds the row: the pool runs dry.",
		From:  "see mysql/sqllocks/flawed",
	}, "db-row-noted", "db-row")
}
