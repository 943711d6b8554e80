// Package builtin lists the locks over all stores but etcd, with their expectations, for programs and tests that need all
// of them. Those over etcd are in github.com/lockpick-dev/lockpick/etcd/builtin: its client is large, and does not run in
// a browser.
package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/cell"
	kube "github.com/lockpick-dev/lockpick/kube/builtin"
	mysql "github.com/lockpick-dev/lockpick/mysql/builtin"
	postgres "github.com/lockpick-dev/lockpick/postgres/builtin"
	s3 "github.com/lockpick-dev/lockpick/s3/builtin"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	file "github.com/lockpick-dev/lockpick/stores/file/builtin"
	redis "github.com/lockpick-dev/lockpick/stores/redis/builtin"
	zookeeper "github.com/lockpick-dev/lockpick/zookeeper/builtin"
)

// Locks returns the locks, in the order in which they are listed.
func Locks() []cell.Lock {
	return slices.Concat(redis.Locks(), zookeeper.Locks(), mysql.Locks(), postgres.Locks(), file.Locks(), kube.Locks(), s3.Locks())
}

// Families returns the expectations of these locks.
func Families() []expect.Family {
	return slices.Concat(
		redis.Families(), zookeeper.Families(), mysql.Families(), postgres.Families(), file.Families(), kube.Families(), s3.Families(),
	)
}
