package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/traces"
)

func init() {
	onMySQL(trial.Bug{
		ID: "mysql-row-noted", Property: checker.Progress,
		About:    "The holder takes a second connection from the pool while it holds the row: the pool runs dry.",
		From:     "see mysql/sqllocks/flawed",
		Stressed: []traces.Parameter{{Name: "threads", Value: "2"}, {Name: "connections", Value: "1"}}, // as the scenarios of Lockpick have
	}, "db-row-noted", "db-row")
}
