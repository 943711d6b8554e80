package recipe

import (
	"context"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// A Lease is an entry that holds.
type Lease struct {
	entry    *entry
	claim    *claim
	left     <-chan error // since Release was called
	released bool
}

// Release deletes the node. If ctx is done before that is answered, or if no server can
// be reached, the node is deleted as soon as possible, and a further Release waits for
// that; or it vanishes with the session. It returns [lock.ErrNotHeld] if the node was
// gone.
func (l *Lease) Release(ctx context.Context) error {
	if l.released {
		return lock.ErrNotHeld
	}
	if l.left == nil {
		l.entry.session.unclaim(l.claim)
		l.left = l.entry.leave()
	}
	select {
	case err := <-l.left:
		l.released = true
		if err != nil {
			return fmt.Errorf("zklocks: release: %w", err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("zklocks: release: %w", ctx.Err())
	}
}

// Lost is closed when the lease is known to be lost.
func (l *Lease) Lost() <-chan struct{} { return l.claim.lost }

// TimedLease is a lease whose claim ends by the clock.
type TimedLease struct{ *Lease }

// Until returns the end of the validity, which grows while the leader answers.
func (l TimedLease) Until() time.Time { return l.entry.session.until(l.claim) }

// FencedLease is a lease of a lock that one client at a time has.
type FencedLease struct{ TimedLease }

// Token returns the ID of the transaction that created the node (czxid).
func (l FencedLease) Token() int64 { return l.entry.czxid }
