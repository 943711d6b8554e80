// Command simrun is github.com/lockpick-dev/lockpick/cmd/simrun with the locks over MySQL as well.
package main

import (
	"io/fs"

	"github.com/lockpick-dev/lockpick"
	"github.com/lockpick-dev/lockpick/mysql"
	sqllocks "github.com/lockpick-dev/lockpick/mysql/builtin"
	sqlreal "github.com/lockpick-dev/lockpick/mysql/real"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/realcommand"
	"github.com/lockpick-dev/lockpick/real/redis"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/builtin"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Locks(sqllocks.Locks()...), simrun.Families(sqllocks.Families()...),
		simrun.Commands(realcommand.Commands(
			confirm.Stores{"redis": redis.New, "mysql": sqlreal.New},
			map[string]fs.FS{"github.com/lockpick-dev/lockpick": lockpick.Sources, "github.com/lockpick-dev/lockpick/mysql": mysql.Sources},
		)...),
		simrun.ElsewhereAll(builtin.Elsewhere()),
		simrun.Elsewhere("experiment", "it is a command of the program github.com/lockpick-dev/lockpick/lab/cmd/simrun, which make build makes in a checkout of the repository, as bin/simrun"),
	)
}
