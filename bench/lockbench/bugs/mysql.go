package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/mysql/builtin"
	"github.com/lockpick-dev/lockpick/mysql/real"
)

// onMySQL adds a bug of a lock over MySQL that Lockpick has, by the IDs of the bad lock and the good one.
func onMySQL(b trial.Bug, bad, good string) {
	b.Bad, b.Good, b.Real = named(builtin.Locks(), bad), named(builtin.Locks(), good), real.New
	add(b)
}
