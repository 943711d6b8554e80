package flawed

import (
	"context"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks/internal/recipe"
)

// Curator is the recipe of Curator's InterProcessMutex: the nodes and the order of
// [zklocks.Zookeeper], a count for an owner that takes the lock again, and a lease that is lost
// as soon as the connection is (Curator's state SUSPENDED, which its users should listen for).
// The count is the process's own and costs no request.
//
// The owner that [lock.WithOwner] names may take the lock again while it holds it: each
// acquisition has a lease of its own, and the last release frees the lock. Leases and
// calls of one owner are used one at a time. Curator counts a thread's acquisitions; it
// enters a hold again even when that was lost, which this lock does not.
//
// It guarantees mutual exclusion as long as a connection breaks before its session
// ends, and holders respect Lost. The client library takes a connection for broken when
// it has read nothing for two thirds of the session's time-out.
//
// What breaks it, beside what breaks Zookeeper: leases do not say until when they are
// valid, so a holder that was stopped sees that it has lost the lock only when the
// connection is found broken (scenario gc-pause, properties overrun and
// mutual-exclusion, where Zookeeper shows overrun at most). It believes the server
// that it is connected to: one that lags behind, or is cut off from the leader, may show
// the node of a session that has ended, and answer its pings (scenario stale-follower;
// see CURATOR-498 and CURATOR-604). A broken connection costs the
// lock, although the session may live on.
//
// Requests: those of Zookeeper, without syncs.
type Curator struct {
	queue *recipe.Queue
	owned recipe.Owned
}

// NewCurator returns a locker for the lock whose nodes are in the given directory. It
// is safe for concurrent use.
func NewCurator(session *zklocks.Session, dir string, options zklocks.Options) *Curator {
	q := recipe.NewQueue((*recipe.Session)(session), dir, options.ACL, recipe.Predecessor)
	q.Untimed = true
	return &Curator{queue: q}
}

// Acquire takes the lock once more if the owner has it, and otherwise acts like that of
// [zklocks.Zookeeper].
func (l *Curator) Acquire(ctx context.Context) (lock.Lease, error) {
	owner, _ := lock.Owner(ctx)
	if h := l.owned.HoldOf(owner); h != nil {
		return h.Enter(recipe.LockKind), nil
	}
	held, err := l.queue.Acquire(ctx, recipe.LockKind)
	if err != nil {
		return nil, err
	}
	return l.owned.Keep(owner, held).Enter(recipe.LockKind), nil
}
