// Command simrun is github.com/lockpick-dev/lockpick/cmd/simrun with the commands confirm and export besides, for Redis: they run
// counterexamples on real servers. The programs github.com/lockpick-dev/lockpick/etcd/cmd/simrun and
// github.com/lockpick-dev/lockpick/lab/cmd/simrun have them for other stores as well.
package main

import (
	"io/fs"

	"github.com/lockpick-dev/lockpick"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/realcommand"
	"github.com/lockpick-dev/lockpick/real/redis"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/builtin"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Commands(realcommand.Commands(
			confirm.Stores{"redis": redis.New},
			map[string]fs.FS{"github.com/lockpick-dev/lockpick": lockpick.Sources},
		)...),
		simrun.ElsewhereAll(builtin.Elsewhere()),
		simrun.Elsewhere("experiment", "it is a command of the program github.com/lockpick-dev/lockpick/lab/cmd/simrun, which make build makes in a checkout of the repository, as bin/simrun"),
	)
}
