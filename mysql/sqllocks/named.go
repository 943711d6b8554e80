package sqllocks

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/internal/recipe"
)

// Named is a named lock, by GET_LOCK, on a connection of its own for each acquisition. It
// needs no table and no transaction.
//
// The lock lives as long as the connection, and the holder cannot keep it alive; it can only
// check. It asks on the connection every twelfth of the TTL, and Lost is closed when that
// fails, or when nothing was heard for the TTL. The session's wait_timeout is set to the TTL,
// so that a holder that is cut off does not keep the lock for longer than it claims.
//
// Between the end of the connection and the next check two clients may hold the lock: a
// connection that breaks (scenario storm, property mutual-exclusion), a server that restarts
// (node-restart) and a failover, as the new primary knows of no named locks (failover-loss).
// There is no fencing token.
//
// Requests: acquire a new connection and 2 (SET, GET_LOCK), release 1, and one every twelfth
// of the TTL.
type Named struct {
	db      *sql.DB
	name    string
	options *recipe.Options
}

// NewNamed returns a locker for the named lock. The server's names have at most 64
// characters. It is safe for concurrent use.
func NewNamed(db *sql.DB, name string, options Options) *Named {
	return &Named{db, name, options.recipe()}
}

// Acquire waits until the lock is held or ctx is done. It tries again if the connection
// breaks.
func (n *Named) Acquire(ctx context.Context) (lock.Lease, error) {
	var h *namedHold
	_, err := n.options.Persist(ctx, func(bool) (held bool, err error) {
		h, err = n.try(ctx)
		return h != nil, err
	})
	if err != nil {
		return nil, recipe.LockError("acquire", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next = n.options.Clock.AfterFunc(h.interval(), h.ask)
	return h, nil
}

// try returns a hold of the lock, or nil if the server's time-out ended the wait.
func (n *Named) try(ctx context.Context) (*namedHold, error) {
	o := n.options
	conn, err := recipe.Connect(ctx, n.db, o)
	if err != nil {
		return nil, err
	}
	h := &namedHold{of: n, conn: conn, turn: make(chan struct{}, 1), lost: make(chan struct{})}
	held, err := h.take(ctx, recipe.Seconds(o.TTL))
	if err != nil || !held {
		recipe.Discard(conn)
		return nil, err
	}
	return h, nil
}

// namedHold is a connection that has the lock.
type namedHold struct {
	of   *Named
	conn *sql.Conn
	turn chan struct{} // taken while the connection is used
	lost chan struct{}

	mu    sync.Mutex // never held while anything is waited for
	heard time.Time  // the earliest time since which the connection may be idle at the server
	next  clockwork.Timer
	over  bool // released, or lost
}

// take asks for the lock, and waits for it for some seconds.
func (h *namedHold) take(ctx context.Context, wait int64) (held bool, err error) {
	o := h.of.options
	if _, err = o.Exec(ctx, h.conn, fmt.Sprintf(`SET SESSION wait_timeout = %d`, wait)); err != nil {
		return false, err
	}
	h.heard = o.Clock.Now()
	if held, err = o.GetLock(ctx, h.conn, h.of.name, wait); err != nil || !held {
		return false, err
	}
	if o.Clock.Since(h.heard) > h.interval() { // the time of the server's answer is unknown
		h.heard = o.Clock.Now()
		err = o.Within(ctx, o.Patience, h.conn.PingContext)
	}
	return err == nil, err
}

func (h *namedHold) interval() time.Duration { return h.of.options.TTL / 12 }

// Lost is closed when the lock is known to be lost.
func (h *namedHold) Lost() <-chan struct{} { return h.lost }

// ask asks whether the connection is alive, and schedules the next question. The clock
// calls it.
func (h *namedHold) ask() {
	select {
	case h.turn <- struct{}{}:
	default:
		return // the lock is being released
	}
	defer func() { <-h.turn }()
	o := h.of.options
	sent := o.Clock.Now()
	h.mu.Lock()
	left := h.heard.Add(o.TTL).Sub(sent)
	h.mu.Unlock()
	err := context.DeadlineExceeded
	if left > 0 {
		err = o.Within(context.Background(), left, h.conn.PingContext)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.over:
	case err != nil:
		o.Clock.AfterFunc(0, h.lose) // by the clock, like all ends of claims
	default:
		h.heard = sent
		h.next = o.Clock.AfterFunc(max(h.interval()-o.Clock.Since(sent), 0), h.ask)
	}
}

// lose ends the claim, unless the lock was released.
func (h *namedHold) lose() {
	if h.end() {
		close(h.lost)
		h.close()
	}
}

// end ends the questions. It returns false if they had ended before.
func (h *namedHold) end() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return false
	}
	h.over = true
	h.next.Stop()
	return true
}

// close closes the connection when nobody uses it.
func (h *namedHold) close() {
	h.turn <- struct{}{}
	recipe.Discard(h.conn)
}

// Release releases the lock, and closes the connection. It returns [lock.ErrNotHeld] if the
// lock was lost or released before. After another error the server releases the lock when it
// notices that the connection is closed.
func (h *namedHold) Release(ctx context.Context) error {
	if !h.end() {
		return lock.ErrNotHeld
	}
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		h.of.options.Clock.AfterFunc(0, h.close)
		return recipe.LockError("release", ctx.Err())
	}
	defer recipe.Discard(h.conn)
	return h.of.options.ReleaseLock(ctx, h.conn, h.of.name)
}
