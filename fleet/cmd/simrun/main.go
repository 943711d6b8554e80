// Command simrun is github.com/lockpick-dev/lockpick/etcd/cmd/simrun with the command fleet besides: it searches with many machines.
package main

import (
	etcd "github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/fleet"
	_ "github.com/lockpick-dev/lockpick/fleet/clouds" // buckets of clouds
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/builtin"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Locks(etcd.Locks()...), simrun.Families(etcd.Families()...),
		simrun.Commands(fleet.Command()),
	)
}
