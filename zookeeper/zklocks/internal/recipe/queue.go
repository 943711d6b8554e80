package recipe

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/lock"
)

// A Queue is a directory whose sequential children wait for one another in their
// order.
type Queue struct {
	session *Session
	dir     string
	acl     []zk.ACL
	rule    Rule
	// Untimed is set if claims last as long as the connection.
	Untimed bool
}

// NewQueue returns the queue in the given directory. Its nodes have the ACL; without one everybody may do
// everything with them.
func NewQueue(s *Session, dir string, acl []zk.ACL, rule Rule) *Queue {
	return &Queue{session: s, dir: dir, acl: ACL(acl), rule: rule}
}

// ACL returns the access control list, or the default if there is none.
func ACL(acl []zk.ACL) []zk.ACL {
	if acl == nil {
		return zk.WorldACL(zk.PermAll)
	}
	return acl
}

// LockKind is the kind in the names of locks' nodes, as in Curator and the client
// library.
const LockKind = "lock-"

// AcquireFenced acquires an exclusive lock. Its lease has a fencing token.
func (q *Queue) AcquireFenced(ctx context.Context) (lock.Lease, error) {
	held, err := q.Acquire(ctx, LockKind)
	if err != nil {
		return nil, err
	}
	return FencedLease{TimedLease{held}}, nil
}

// Acquire enters the queue with a node of the given kind and waits until it holds. If
// the session ends meanwhile it starts over in the next one. When it fails, the node is
// removed in the background.
func (q *Queue) Acquire(ctx context.Context, kind string) (*Lease, error) {
	for {
		e := q.entry(kind)
		claim, err := e.hold(ctx)
		if err == nil {
			return &Lease{entry: e, claim: claim}, nil
		}
		e.leave()
		if !errors.Is(err, errGone) && !errors.Is(err, zk.ErrSessionExpired) {
			return nil, fmt.Errorf("zklocks: acquire: %w", err)
		}
	}
}

// errGone is the error of a node that does not exist any more, or will soon vanish
// because its session is over.
var errGone = errors.New("the node is gone")

// hold enters and waits.
func (e *entry) hold(ctx context.Context) (*claim, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	watch := false // the directory
	for {
		names, changed, err := e.list(ctx, watch)
		if err != nil {
			return nil, err
		}
		blocker, blocked := e.rule.blocker(e.own.before(names), e.own)
		switch {
		case !blocked:
			claim, err := e.claim(ctx)
			if claim != nil || err != nil {
				return claim, err
			}
			continue
		case !e.rule.anyone:
			changed, err = e.watch(ctx, blocker)
		default:
			watch = true // and look again, since something may have changed
		}
		if err == nil && changed != nil {
			err = e.wait(ctx, changed)
		}
		if err != nil {
			return nil, err
		}
	}
}

// claim makes the claim. It returns nil if the node's place must be checked again,
// because it had to ask the leader whether the session is alive, or there is no
// connection.
func (e *entry) claim(ctx context.Context) (*claim, error) {
	if e.session.conn.SessionID() != e.owner {
		return nil, errGone
	}
	if e.Untimed {
		return e.session.claimUntimed(e.owner), nil
	}
	if claim := e.session.claim(e.owner); claim != nil {
		return claim, nil
	}
	_, err := Ask(ctx, e.session, e.session.sync())
	return nil, err
}

// watch watches a node, and returns nil if it does not exist any more. It reads the
// node, since a watch on a missing node would be left behind.
func (e *entry) watch(ctx context.Context, n node) (<-chan zk.Event, error) {
	changed, err := Ask(ctx, e.session, func(conn *zk.Conn) (<-chan zk.Event, error) {
		_, _, changed, err := conn.GetW(e.dir + "/" + n.name)
		return changed, err
	})
	if errors.Is(err, zk.ErrNoNode) {
		return nil, nil
	}
	return changed, err
}

// wait waits for a watch, unless it was set in a later session, which does not have the node. The
// library sets watches again when it reconnects, and reports a session's end to all waiters at
// once, which therefore pause before they start over.
func (e *entry) wait(ctx context.Context, changed <-chan zk.Event) error {
	if e.session.conn.SessionID() != e.owner {
		return errGone
	}
	select {
	case event := <-changed:
		if event.Err != nil {
			_ = e.session.rest(ctx)
		}
		return e.session.lockError(event.Err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// listing has the names of the directory, and the notification of its next change.
type listing struct {
	names   []string
	changed <-chan zk.Event
}

// list reads the directory, with a watch on request. It fails if the entry's node does not
// exist. It removes other nodes of the entry, which result from creations that were not
// answered.
func (e *entry) list(ctx context.Context, watch bool) ([]string, <-chan zk.Event, error) {
	l, err := Ask(ctx, e.session, func(conn *zk.Conn) (l listing, err error) {
		if watch {
			l.names, _, l.changed, err = conn.ChildrenW(e.dir)
		} else {
			l.names, _, err = conn.Children(e.dir)
		}
		return l, err
	})
	if err != nil {
		return nil, nil, err
	}
	gone := true
	for _, name := range l.names {
		if !strings.HasPrefix(name, e.prefix) {
			continue
		}
		if name == e.own.name {
			gone = false
		} else if err := e.remove(ctx, name); err != nil {
			return nil, nil, err
		}
	}
	if gone {
		return nil, nil, errGone
	}
	return l.names, l.changed, nil
}

// remove deletes a node other than the one that the entry waits with.
func (e *entry) remove(ctx context.Context, name string) error {
	_, err := Ask(ctx, e.session, led(e.session, func(conn *zk.Conn) (struct{}, error) {
		return struct{}{}, conn.Delete(e.dir+"/"+name, -1)
	}))
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	return err
}
