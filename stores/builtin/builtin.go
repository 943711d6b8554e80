// Package builtin lists the locks over the stores of this module, with what is expected of each,
// for the programs and tests that know them all. Other stores are modules of their own; package
// github.com/lockpick-dev/lockpick/lab/builtin lists the locks over all but etcd.
package builtin

import (
	"slices"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	file "github.com/lockpick-dev/lockpick/stores/file/builtin"
	redis "github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// Locks are the locks over all stores of this module, in the order in which they are listed.
func Locks() []cell.Lock {
	return slices.Concat(redis.Locks(), file.Locks())
}

// Families are what is expected of these locks.
func Families() []expect.Family {
	return slices.Concat(redis.Families(), file.Families())
}
