package zklocks

import (
	"context"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks/internal/recipe"
)

// Zookeeper is the lock of ZooKeeper's own recipes: every client creates an ephemeral
// sequential node in the lock's directory, the lowest sequence holds the lock, and each
// waiter watches the node before its own and looks again when that is deleted. A release
// wakes one waiter. A holder that crashes holds the lock until its session ends, and no
// longer. A node that is deleted before it is watched is not waited for: reading it
// fails, and the waiter looks again.
//
// It has what implementations of the recipe often lack. It claims the lock only if its
// node is among those that it has listed, and if the session that created it is still
// the connection's. It finds the node of a creation whose answer was lost by the unique
// part of its name, and removes it when it gives up. It asks the leader whether the
// session is alive before it claims the lock after a wait, as a server that lags behind
// may show the node of a session that has ended. If the session ends while it waits it
// starts over. Sequences may wrap around.
//
// It guarantees mutual exclusion as long as holders respect Until or Lost, and under
// the assumptions that [Session] lists. What breaks it: a pause of the process between
// its last look at Until and an access (scenario gc-pause, property overrun), an access
// that arrives late (two-step-release, overrun), a clock of the leader's that jumps ahead
// (server-clock-jump, mutual-exclusion), and a server's report of its sessions that is
// late by most of the time-out (two-step-release and stale-follower, lease-honesty).
//
// A lease has a fencing token, the ID of the transaction that created its node (czxid).
// Tokens grow with every acquisition: the lock is granted in the order of sequences, a
// directory gives its sequences in the order in which nodes are created, and every
// creation is a transaction with an ID higher than all before it, across elections (the
// epoch is its upper half) and if the directory is deleted and created anew, which
// begins sequences at 0 again. A resource that refuses lower tokens on every access,
// reads too, is not harmed.
//
// Requests: acquire 3 (create, get, children) without contention; a wait costs 3 or 4
// more (get with a watch, sync if a quarter of the time-out has passed, children);
// release 1. A holder sends a sync every quarter of the session's time-out.
type Zookeeper struct{ queue *recipe.Queue }

// NewZookeeper returns a locker for the lock whose nodes are in the given directory, an
// absolute path, which is created if need be. It is safe for concurrent use.
func NewZookeeper(session *Session, dir string, options Options) *Zookeeper {
	return &Zookeeper{options.queue(session, dir, recipe.Predecessor)}
}

// Acquire waits until the lock is held, ctx is done, or the connection is closed. While
// no server can be reached it goes on trying. After any error the node is removed as
// soon as that is possible; Acquire does not wait for it.
func (l *Zookeeper) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.queue.AcquireFenced(ctx)
}
