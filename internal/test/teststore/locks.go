package teststore

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// Locks returns a sound lock and a flawed one.
func Locks() []cell.Lock {
	return []cell.Lock{
		{ID: "cloakroom", Summary: "TAKE with a ticket of its own; GIVE only that ticket back", Store: Store, Subject: cell.Mutex(Take)},
		{ID: "cloakroom-blind", Summary: "TAKE; GIVE any ticket back", Store: Store, Subject: cell.Mutex(TakeBlindly)},
	}
}

// Take makes the sound lock.
func Take(c *cell.Client) lock.Locker { return newTaker(c, true) }

// TakeBlindly makes the flawed lock.
func TakeBlindly(c *cell.Client) lock.Locker { return newTaker(c, false) }

func newTaker(c *cell.Client, looks bool) lock.Locker {
	return &taker{
		dial:  func(ctx context.Context) (net.Conn, error) { return c.Dial(ctx, "tcp", c.Addresses()[0]) },
		clock: c.Clock(), name: c.LockName(), me: c.Name(), ttl: c.TTL(), looks: looks,
	}
}

// patience is how long a client waits for an answer, and pause for how long it rests
// before it asks again. It waits for longer than a lease, so that an answer may come too late.
const (
	patience = 3 * time.Second
	pause    = 100 * time.Millisecond
)

type taker struct {
	dial  func(context.Context) (net.Conn, error)
	clock clockwork.Clock
	name  string
	me    string
	ttl   time.Duration
	looks bool
	count int
}

// Acquire asks for the ticket until it gets it. A request whose answer does not come
// may have been granted: the ticket is given back then.
func (t *taker) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		t.count++ // a late GIVE of one try must not meet the ticket of another
		l := &lease{taker: t, holder: fmt.Sprintf("%s-%d", t.me, t.count)}
		asked := t.clock.Now()
		ok, err := t.ask(ctx, fmt.Sprintf("TAKE %s %s %d", t.name, l.holder, t.ttl.Milliseconds()))
		l.until = asked.Add(t.ttl)
		if ok && t.clock.Now().Before(l.until) {
			return l, nil
		}
		if ok || err != nil {
			_, _ = t.ask(context.WithoutCancel(ctx), "GIVE "+t.name+" "+l.holder) // else it ends by itself
		}
		if err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-t.clock.After(pause):
		}
	}
}

// ask sends one request on a connection of its own.
func (t *taker) ask(ctx context.Context, request string) (ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := t.dial(ctx)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(0, 1)) })
	defer stop()
	if _, err := conn.Write([]byte(request + "\n")); err != nil {
		return false, err
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	return answer == "OK\n", err
}

type lease struct {
	*taker
	holder string
	until  time.Time
}

// Until returns when the ticket ends at the latest.
func (l *lease) Until() time.Time { return l.until }

// Release gives the ticket back. A request whose answer does not come is sent again, since it may not have arrived.
func (l *lease) Release(ctx context.Context) error {
	request := "GIVE " + l.name
	if l.looks {
		request += " " + l.holder
	}
	ok, err := l.ask(ctx, request)
	if err != nil {
		_, _ = l.ask(context.WithoutCancel(ctx), request)
	} else if !ok {
		err = lock.ErrNotHeld
	}
	return err
}
