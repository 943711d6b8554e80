// Command simrun is github.com/lockpick-dev/lockpick/cmd/simrun with the locks over all stores, the command experiment, which
// measures locks, the command envelope, which maps how they may be used, and the commands on real servers (package realcommand).
package main

import (
	"io/fs"

	"github.com/lockpick-dev/lockpick"
	etcd "github.com/lockpick-dev/lockpick/etcd/builtin"
	etcdreal "github.com/lockpick-dev/lockpick/etcd/real"
	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/lab/builtin"
	"github.com/lockpick-dev/lockpick/lab/labcommand"
	"github.com/lockpick-dev/lockpick/mysql"
	sqlreal "github.com/lockpick-dev/lockpick/mysql/real"
	"github.com/lockpick-dev/lockpick/postgres"
	pgreal "github.com/lockpick-dev/lockpick/postgres/real"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/realcommand"
	"github.com/lockpick-dev/lockpick/real/redis"
	"github.com/lockpick-dev/lockpick/s3"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/zookeeper"
	zkreal "github.com/lockpick-dev/lockpick/zookeeper/real"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Locks(etcd.Locks()...), simrun.Families(etcd.Families()...),
		simrun.Commands(labcommand.Experiment(), labcommand.Envelope()),
		simrun.Commands(realcommand.Commands(
			confirm.Stores{"redis": redis.New, "zookeeper": zkreal.New, "mysql": sqlreal.New, "postgres": pgreal.New, "etcd": etcdreal.New},
			map[string]fs.FS{
				"github.com/lockpick-dev/lockpick": lockpick.Sources, "github.com/lockpick-dev/lockpick/zookeeper": zookeeper.Sources, "github.com/lockpick-dev/lockpick/mysql": mysql.Sources,
				"github.com/lockpick-dev/lockpick/postgres": postgres.Sources, "github.com/lockpick-dev/lockpick/kube": kube.Sources, "github.com/lockpick-dev/lockpick/s3": s3.Sources,
			},
		)...),
	)
}
