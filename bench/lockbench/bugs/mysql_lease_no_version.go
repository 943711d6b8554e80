package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/checker"
)

func init() {
	onMySQL(trial.Bug{
		ID: "mysql-lease-no-version", Property: checker.OwnerOnlyRelease,
		About: "A lease in a row that is compared by its owner alone, who may have come back since (ABA).",
		From:  "see mysql/sqllocks/flawed",
	}, "db-optimistic-no-version", "db-unique-lease")
}
