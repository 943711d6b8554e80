// Command simrun is github.com/lockpick-dev/lockpick/cmd/simrun with the locks over etcd
// besides.
package main

import (
	etcd "github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/builtin"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Locks(etcd.Locks()...), simrun.Families(etcd.Families()...),
		simrun.ElsewhereAll(builtin.Elsewhere()),
		simrun.Elsewhere("experiment", "it is a command of the program github.com/lockpick-dev/lockpick/lab/cmd/simrun, which make build makes in a checkout of the repository, as bin/simrun"),
	)
}
