// Command simrun is github.com/lockpick-dev/lockpick/cmd/simrun with the locks over etcd
// besides.
package main

import (
	"io/fs"

	"github.com/lockpick-dev/lockpick"
	etcd "github.com/lockpick-dev/lockpick/etcd/builtin"
	etcdreal "github.com/lockpick-dev/lockpick/etcd/real"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/realcommand"
	"github.com/lockpick-dev/lockpick/real/redis"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/builtin"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Locks(etcd.Locks()...), simrun.Families(etcd.Families()...),
		simrun.Commands(realcommand.Commands(
			confirm.Stores{"redis": redis.New, "etcd": etcdreal.New},
			map[string]fs.FS{"github.com/lockpick-dev/lockpick": lockpick.Sources},
		)...),
		simrun.Elsewhere(builtin.Elsewhere()),
	)
}
