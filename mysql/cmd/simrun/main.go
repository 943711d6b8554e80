// Command simrun is github.com/lockpick-dev/lockpick/cmd/simrun with the locks over MySQL as well.
package main

import (
	"github.com/lockpick-dev/lockpick/mysql"
	sqllocks "github.com/lockpick-dev/lockpick/mysql/builtin"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/builtin"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Locks(sqllocks.Locks()...), simrun.Families(sqllocks.Families()...),
		simrun.Sources("github.com/lockpick-dev/lockpick/mysql", mysql.Sources),
		simrun.ElsewhereAll(builtin.Elsewhere()),
		simrun.Elsewhere("experiment", "it is a command of the program github.com/lockpick-dev/lockpick/lab/cmd/simrun, which make build makes in a checkout of the repository, as bin/simrun"),
	)
}
