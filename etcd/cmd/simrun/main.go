// Command simrun is github.com/lockpick-dev/lockpick/cmd/simrun with the locks over etcd
// besides.
package main

import (
	etcd "github.com/lockpick-dev/lockpick/etcd/builtin"
	mysql "github.com/lockpick-dev/lockpick/scenarios/mysql/builtin"
	redis "github.com/lockpick-dev/lockpick/scenarios/redis/builtin"
	zookeeper "github.com/lockpick-dev/lockpick/scenarios/zookeeper/builtin"
	"github.com/lockpick-dev/lockpick/simrun"
)

func main() {
	simrun.Main(
		simrun.Locks(redis.Locks()...), simrun.Families(redis.Families()...),
		simrun.Locks(zookeeper.Locks()...), simrun.Families(zookeeper.Families()...),
		simrun.Locks(mysql.Locks()...), simrun.Families(mysql.Families()...),
		simrun.Locks(etcd.Locks()...), simrun.Families(etcd.Families()...),
	)
}
