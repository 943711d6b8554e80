// Command simrun is github.com/lockpick-dev/lockpick/etcd/cmd/simrun with the command experiment besides: it has all stores, and
// measures locks.
package main

import (
	etcd "github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/lab/labcommand"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/builtin"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Locks(etcd.Locks()...), simrun.Families(etcd.Families()...),
		simrun.Commands(labcommand.Experiment()),
	)
}
