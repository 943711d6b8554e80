// Command simrun is github.com/lockpick-dev/lockpick/cmd/simrun with the locks over all stores and the command experiment, which
// measures locks.
package main

import (
	etcd "github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/lab/builtin"
	"github.com/lockpick-dev/lockpick/lab/labcommand"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Locks(etcd.Locks()...), simrun.Families(etcd.Families()...),
		simrun.Sources("github.com/lockpick-dev/lockpick/zookeeper", zookeeper.Sources), simrun.Sources("github.com/lockpick-dev/lockpick/mysql", mysql.Sources),
		simrun.Commands(labcommand.Experiment()),
	)
}
