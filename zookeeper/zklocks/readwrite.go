package zklocks

import (
	"context"
	"fmt"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks/internal/recipe"
)

// ReadWrite is the recipe of ZooKeeper for shared locks: nodes of readers and of writers
// are in one queue. A writer holds when its node is the first, a reader when there is no
// writer's node before its own. Each waits for the last node before it that is in its
// way, and looks again when that is deleted. Nobody is overtaken: a reader that comes
// after a waiting writer waits for it.
//
// An owner may take either lock again, and a writer may read as well; a reader is
// refused the writer's lock with [lock.ErrUpgrade]. A writer that reads has one node for
// both. It becomes a reader by giving up the writer's lock, but keeps other readers out
// until it has given up the reader's, too: in Curator, where it has two nodes, a writer
// that was waiting between them gets in.
//
// It guarantees that a writer is alone, under the conditions of [Zookeeper], and is
// broken by the same. While a reader holds for long a waiting writer keeps all later
// readers waiting.
//
// Requests: as Zookeeper.
type ReadWrite struct {
	reader, writer rwSide
}

type rwSide struct {
	queue *recipe.Queue
	kind  string
	owned *recipe.Owned // of both sides
}

// NewReadWrite returns a lock whose nodes are in the given directory. It is safe for
// concurrent use.
func NewReadWrite(session *Session, dir string, options Options) *ReadWrite {
	both := new(recipe.Owned)
	return &ReadWrite{
		reader: rwSide{options.queue(session, dir, recipe.LastWriter), recipe.ReadKind, both},
		writer: rwSide{options.queue(session, dir, recipe.Predecessor), recipe.WriteKind, both},
	}
}

// Reader returns the shared lock of the readers. Its leases say until when they are valid.
func (l *ReadWrite) Reader() lock.Locker { return l.reader }

// Writer returns the exclusive lock of a writer. Its leases say until when they are valid.
func (l *ReadWrite) Writer() lock.Locker { return l.writer }

// Acquire takes the lock once more if the owner has it, and otherwise acts like that of
// [Zookeeper].
func (l rwSide) Acquire(ctx context.Context) (lock.Lease, error) {
	owner, _ := lock.Owner(ctx)
	h := l.owned.HoldOf(owner)
	switch {
	case h == nil:
		held, err := l.queue.Acquire(ctx, l.kind)
		if err != nil {
			return nil, err
		}
		h = l.owned.Keep(owner, held)
	case l.kind == recipe.WriteKind && !h.Has(recipe.WriteKind):
		return nil, fmt.Errorf("zklocks: acquire: %w: %w", lock.ErrUpgrade, lock.ErrNotAcquired)
	}
	return recipe.TimedEntered{Entered: h.Enter(l.kind)}, nil
}
