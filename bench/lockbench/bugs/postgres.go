package bugs

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/postgres/builtin"
	"github.com/lockpick-dev/lockpick/postgres/real"
)

// onPostgres adds a bug of a lock over PostgreSQL that Lockpick has, by the IDs of the bad lock and the good one.
func onPostgres(b trial.Bug, bad, good string) {
	b.Bad, b.Good, b.Real = named(builtin.Locks(), bad), named(builtin.Locks(), good), real.New
	add(b)
}
