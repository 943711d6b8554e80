package recipe

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
)

// SessionHold is a connection that has a lock. It asks every twelfth of the TTL whether the connection is
// alive: the answer shows that the lock is held, and the question keeps the server from ending the session.
type SessionHold struct {
	of   *Session
	conn *pgxpool.Conn
	turn chan struct{} // taken while the connection is used
	lost chan struct{}

	mu    sync.Mutex // never held while anything is waited for
	heard time.Time  // the earliest time since which the connection may be idle at the server
	next  clockwork.Timer
	over  bool // released, or lost
}

// take asks for the lock.
func (h *SessionHold) take(ctx context.Context) error {
	o := h.of.Options
	if _, err := o.Exec(ctx, h.conn, h.of.Begin); err != nil {
		return err
	}
	h.heard = o.Clock.Now()
	err := o.Within(ctx, o.TTL+o.Patience, func(ctx context.Context) error { return h.of.Take(ctx, h.conn) })
	if err == nil && o.Clock.Since(h.heard) > h.of.interval() { // the time of the server's answer is unknown
		h.heard = o.Clock.Now()
		err = o.Within(ctx, o.Patience, h.conn.Ping)
	}
	return err
}

// watch begins to ask.
func (h *SessionHold) watch() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next = h.of.Options.Clock.AfterFunc(h.of.interval(), h.ask)
}

// Lost is closed when the lock is known to be lost.
func (h *SessionHold) Lost() <-chan struct{} { return h.lost }

// ask asks whether the connection is alive, and schedules the next question. The clock calls it.
func (h *SessionHold) ask() {
	select {
	case h.turn <- struct{}{}:
	default:
		return // the lock is being released
	}
	defer func() { <-h.turn }()
	o := h.of.Options
	sent := o.Clock.Now()
	h.mu.Lock()
	left := h.heard.Add(o.TTL).Sub(sent)
	h.mu.Unlock()
	err := context.DeadlineExceeded
	if left > 0 {
		err = o.Within(context.Background(), left, h.conn.Ping)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.over:
	case err != nil:
		o.Clock.AfterFunc(0, h.lose) // by the clock, like all ends of claims
	default:
		h.heard = sent
		h.next = o.Clock.AfterFunc(max(h.of.interval()-o.Clock.Since(sent), 0), h.ask)
	}
}

// lose ends the claim, unless the lock was released.
func (h *SessionHold) lose() {
	if h.end() {
		close(h.lost)
		h.close()
	}
}

// end ends the questions. It returns false if they had ended before.
func (h *SessionHold) end() bool {
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
func (h *SessionHold) close() {
	h.turn <- struct{}{}
	Discard(h.conn)
}

// Release gives the lock up, and the connection back. It returns [lock.ErrNotHeld] if the lock was lost or
// released before. After another error the server gives up the lock when it notices that the connection is
// closed.
func (h *SessionHold) Release(ctx context.Context) error {
	if !h.end() {
		return lock.ErrNotHeld
	}
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		h.of.Options.Clock.AfterFunc(0, h.close)
		return LockError("release", ctx.Err())
	}
	if err := h.of.GiveUp(ctx, h.conn); err != nil {
		Discard(h.conn)
		return LockError("release", err)
	}
	h.conn.Release()
	return nil
}
