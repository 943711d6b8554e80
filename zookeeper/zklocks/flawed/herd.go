package flawed

import (
	"context"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks/internal/recipe"
)

// Herd is [zklocks.Zookeeper] whose waiters all watch the first node, the holder's. ZooKeeper's
// recipes warn of it. It is as safe as Zookeeper, and grants the lock in the same order.
//
// What is wrong with it: a release wakes every waiter, each of which reads the directory
// again, to find that one of them has the lock. With n waiters a hand-over costs n
// reads of n names, where Zookeeper's costs one (the herd effect).
//
// Guarantees, what breaks it, and requests without contention: as Zookeeper.
type Herd struct{ queue *recipe.Queue }

// NewHerd returns a locker for the lock whose nodes are in the given directory. It is
// safe for concurrent use.
func NewHerd(session *zklocks.Session, dir string, options zklocks.Options) *Herd {
	return &Herd{recipe.NewQueue((*recipe.Session)(session), dir, options.ACL, recipe.First)}
}

// Acquire acts like that of [zklocks.Zookeeper].
func (l *Herd) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.queue.AcquireFenced(ctx)
}
