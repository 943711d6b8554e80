package zklocks

import (
	"context"

	"github.com/lockpick-dev/lockpick/lock"
)

// Herd is [Zookeeper] whose waiters all watch the first node, the holder's. ZooKeeper's
// recipes warn of it. It is as safe as Zookeeper, and grants the lock in the same order.
//
// What is wrong with it: a release wakes every waiter, each of which reads the directory
// again, to find that one of them has the lock. With n waiters a hand-over costs n
// reads of n names, where Zookeeper's costs one (the herd effect).
//
// Guarantees, what breaks it, and requests without contention: as Zookeeper.
type Herd struct{ queue *queue }

// NewHerd returns a locker for the lock whose nodes are in the given directory. It is
// safe for concurrent use.
func NewHerd(session *Session, dir string, options Options) *Herd {
	return &Herd{options.queue(session, dir, first)}
}

// first is the rule that the first holds, and all others wait for it.
var first = rule{blocker: func(before []node, _ node) (node, bool) {
	if len(before) == 0 {
		return node{}, false
	}
	return before[0], true
}}

// Acquire is that of [Zookeeper].
func (l *Herd) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.queue.acquireFenced(ctx)
}
