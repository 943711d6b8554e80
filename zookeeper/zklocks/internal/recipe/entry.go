package recipe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/lock"
)

// An entry is one acquisition's node in a queue. Only one goroutine uses it until it is
// left.
type entry struct {
	*Queue
	prefix string // of the name, unique; the sequence follows it

	own   node  // as soon as it is known
	czxid int64 // the transaction that created it
	owner int64 // the session that it belongs to
	// unsure is set if a creation was not answered, or not waited for: this entry may
	// have another node, now or later.
	unsure bool
}

// entry returns an acquisition without a node. Names have the form of Curator's
// protected nodes, and of the client library's: if the connection breaks, the server
// cannot return the node's name, but we know its unique part.
func (q *Queue) entry(kind string) *entry {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return &entry{Queue: q, prefix: fmt.Sprintf("_c_%x-%s", id, kind)}
}

// enter creates the node, and the directory if there is none.
func (e *entry) enter(ctx context.Context) error {
	for e.own.name == "" {
		unsure := e.unsure
		e.unsure = true // until it is answered
		path, err := Do(ctx, e.session, led(e.session, func(conn *zk.Conn) (string, error) {
			return conn.Create(e.dir+"/"+e.prefix, nil, zk.FlagEphemeralSequential, e.acl)
		}))
		switch {
		case err == nil:
			e.unsure = unsure
			err = e.named(path[strings.LastIndexByte(path, '/')+1:])
		case ctx.Err() != nil:
		case errors.Is(err, zk.ErrNoNode):
			e.unsure = unsure
			err = e.mkdir(ctx)
		case unsent(err):
			e.unsure = unsure
			err = e.session.rest(ctx)
		case unanswered(err):
			err = e.find(ctx)
		default:
			err = e.session.lockError(err)
		}
		if err != nil {
			return err
		}
	}
	return e.identify(ctx)
}

// named notes the name that the server has given the node.
func (e *entry) named(name string) error {
	own, ok := parse(name)
	if !ok {
		return fmt.Errorf("the server has named a sequential node %q", name)
	}
	e.own = own
	return nil
}

// mkdir creates the directory and its parents.
func (e *entry) mkdir(ctx context.Context) error {
	for at := range len(e.dir) + 1 {
		if at == 0 || at < len(e.dir) && e.dir[at] != '/' {
			continue
		}
		_, err := Ask(ctx, e.session, led(e.session, func(conn *zk.Conn) (string, error) {
			return conn.Create(e.dir[:at], nil, zk.FlagPersistent, e.acl)
		}))
		if err != nil && !errors.Is(err, zk.ErrNodeExists) {
			return err
		}
	}
	return nil
}

// find looks for the node of a creation that was not answered. The sync follows the
// creation at the leader, so a node that does not exist by then will not be created: a
// server refuses requests of a client's former connection after the session has moved.
// Should a node appear nevertheless, it is removed when it is seen.
func (e *entry) find(ctx context.Context) error {
	if err := e.session.rest(ctx); err != nil {
		return err
	}
	if _, err := Ask(ctx, e.session, e.session.sync()); err != nil {
		return err
	}
	names, err := Ask(ctx, e.session, func(conn *zk.Conn) ([]string, error) {
		names, _, err := conn.Children(e.dir)
		return names, err
	})
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasPrefix(name, e.prefix) {
			return e.named(name)
		}
	}
	return err
}

// identify reads which session has the node, and the transaction that created it. A
// node that find has found may belong to a session that has ended.
func (e *entry) identify(ctx context.Context) error {
	stat, err := Ask(ctx, e.session, func(conn *zk.Conn) (*zk.Stat, error) {
		_, stat, err := conn.Get(e.path())
		return stat, err
	})
	switch {
	case errors.Is(err, zk.ErrNoNode):
		return errGone
	case err != nil:
		return err
	}
	e.czxid, e.owner = stat.Czxid, stat.EphemeralOwner
	if e.session.conn.SessionID() != e.owner {
		return errGone
	}
	return nil
}

func (e *entry) path() string { return e.dir + "/" + e.own.name }

// leave removes the node, now or when a server can be reached again, unless the end of
// its session removes it. The channel gets the outcome once.
func (e *entry) leave() <-chan error {
	left := make(chan error, 1)
	if e.own.name == "" && !e.unsure {
		left <- nil
		return left
	}
	tried := false
	var try func() error
	try = func() error {
		err := e.delete(tried)
		if !unanswered(err) {
			left <- err
			return nil
		}
		tried = tried || !unsent(err)
		select {
		case <-e.session.closed:
			left <- lock.ErrClosed
		default:
			e.session.clock.AfterFunc(pause, func() { e.session.submit(try) })
		}
		return err
	}
	e.session.submit(try)
	return left
}

// delete deletes the node, in a request's turn. It returns [lock.ErrNotHeld] if the
// node was gone already, unless an earlier try that was not answered may have deleted
// it.
func (e *entry) delete(tried bool) error {
	gone := lock.ErrNotHeld
	if tried {
		gone = nil
	}
	if e.owner != 0 && e.session.conn.SessionID() != e.owner {
		return e.expired(tried)
	}
	if e.own.name != "" {
		err := e.deleteNode(e.own.name)
		switch {
		case err == nil:
			gone = nil
		case errors.Is(err, zk.ErrSessionExpired):
			return e.expired(tried)
		case errors.Is(err, zk.ErrNoNode) && e.owner != 0 && e.session.conn.SessionID() != e.owner:
			return e.expired(tried) // it was sent in the next session: the node vanished with the session that owned it
		case !errors.Is(err, zk.ErrNoNode):
			return e.session.lockError(err)
		}
	}
	if e.unsure {
		if err := e.deleteStrays(); err != nil {
			return e.session.lockError(err)
		}
	}
	return gone
}

// expired returns the error of deleting a node whose session is over.
func (e *entry) expired(tried bool) error {
	if tried {
		return fmt.Errorf("the session ended before the answer came: %w", zk.ErrSessionExpired)
	}
	return lock.ErrNotHeld
}

func (e *entry) deleteNode(name string) error {
	_, err := led(e.session, func(conn *zk.Conn) (struct{}, error) {
		return struct{}{}, conn.Delete(e.dir+"/"+name, -1)
	})(e.session.conn)
	return err
}

// deleteStrays deletes all nodes that the entry may have.
func (e *entry) deleteStrays() error {
	if _, err := e.session.sync()(e.session.conn); err != nil {
		return err
	}
	names, _, err := e.session.conn.Children(e.dir)
	if err != nil && !errors.Is(err, zk.ErrNoNode) {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		if !strings.HasPrefix(name, e.prefix) {
			continue
		}
		if err := e.deleteNode(name); err != nil && !errors.Is(err, zk.ErrNoNode) {
			return err
		}
	}
	return nil
}
