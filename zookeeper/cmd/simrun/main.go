// Command simrun is github.com/lockpick-dev/lockpick/cmd/simrun with the locks over ZooKeeper as well.
package main

import (
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/builtin"
	"github.com/lockpick-dev/lockpick/zookeeper"
	zklocks "github.com/lockpick-dev/lockpick/zookeeper/builtin"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Locks(zklocks.Locks()...), simrun.Families(zklocks.Families()...),
		simrun.Sources("github.com/lockpick-dev/lockpick/zookeeper", zookeeper.Sources),
		simrun.ElsewhereAll(builtin.Elsewhere()),
		simrun.Elsewhere("experiment", "it is a command of the program github.com/lockpick-dev/lockpick/lab/cmd/simrun, which make build makes in a checkout of the repository, as bin/simrun"),
	)
}
