// Command simrun is github.com/lockpick-dev/lockpick/cmd/simrun with the locks over ZooKeeper as well.
package main

import (
	"io/fs"

	"github.com/lockpick-dev/lockpick"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/realcommand"
	"github.com/lockpick-dev/lockpick/real/redis"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/builtin"
	"github.com/lockpick-dev/lockpick/zookeeper"
	zklocks "github.com/lockpick-dev/lockpick/zookeeper/builtin"
	zkreal "github.com/lockpick-dev/lockpick/zookeeper/real"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Locks(zklocks.Locks()...), simrun.Families(zklocks.Families()...),
		simrun.Commands(realcommand.Commands(
			confirm.Stores{"redis": redis.New, "zookeeper": zkreal.New},
			map[string]fs.FS{"github.com/lockpick-dev/lockpick": lockpick.Sources, "github.com/lockpick-dev/lockpick/zookeeper": zookeeper.Sources},
		)...),
		simrun.ElsewhereAll(builtin.Elsewhere()),
		simrun.Elsewhere("experiment", "it is a command of the program github.com/lockpick-dev/lockpick/lab/cmd/simrun, which make build makes in a checkout of the repository, as bin/simrun"),
	)
}
