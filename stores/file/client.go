package file

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/sim/simfile"
)

// Client is the client of a file server, like the one that a kernel has for all of its processes: a
// session, its lease with the server, and the locks that live with the lease. It is safe for
// concurrent use; its requests go one after the other.
//
// It is hard, as mounts are by default: it repeats a request until it is answered or its context is
// done. After a restart of the server it reclaims its locks. When it learns that its lease has
// expired, its locks are lost, and it opens another session.
type Client struct {
	dial  func(context.Context) (net.Conn, error)
	clock clockwork.Clock
	name  string
	ctx   context.Context // ends with Close
	close context.CancelFunc
	turn  chan struct{} // taken while a request is made

	// Only for the goroutine that has the turn.
	conn    net.Conn // nil if there is none
	in      *bufio.Reader
	session int64 // 0 if there is none
	number  int64 // of its last request
	lease   time.Duration

	mu     sync.Mutex // never held while anything is waited for
	claims []*claim
	next   clockwork.Timer // the next renewal, nil if there is no claim
}

// ErrUnknown is returned, wrapped, for a request that was sent more than once, and of which it is unknown
// whether it was executed: the lease has expired, and with it the answers that the server had kept.
var ErrUnknown = errors.New("file: the lease has expired before the request was answered")

// patience is how long a client without a lease waits for an answer before it repeats the request on another
// connection; with a lease it waits for a quarter of it. Pause is how long it waits before it repeats the
// request.
const (
	patience = time.Second
	pause    = 20 * time.Millisecond
)

// Connect returns a client process's client of the file server. It is closed when the run has ended, and
// may be closed earlier. Nothing is sent before the first request.
func Connect(h cell.Host) *Client {
	c := h.AsClient().Reach(Store.ID(), "file.Store")
	client := newClient(c.Name(), c.Clock(), func(ctx context.Context) (net.Conn, error) {
		return c.Dial(ctx, "tcp", c.Addresses()[0])
	})
	c.Cleanup(client.Close)
	return client
}

func newClient(name string, clock clockwork.Clock, dial func(context.Context) (net.Conn, error)) *Client {
	ctx, cancel := context.WithCancel(context.Background())
	return &Client{dial: dial, clock: clock, name: name, ctx: ctx, close: cancel, turn: make(chan struct{}, 1)}
}

// Close ends the client. Its lease expires in the server. Requests fail with [lock.ErrClosed]; a request under way
// may or may not have been executed.
func (c *Client) Close() { c.close() }

// do makes a request, and calls then with its answer before the next request.
func (c *Client) do(ctx context.Context, then func(reply), op simfile.Op, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	if err := ctx.Err(); err != nil { // otherwise select would pick at random
		return c.failed(err)
	}
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return c.failed(ctx.Err())
	}
	defer func() { <-c.turn }()
	r, err := c.exchange(ctx, op, args)
	if err == nil {
		then(r)
	}
	return c.failed(err)
}

// failed returns the error of a request, which is lock.ErrClosed if the client is closed.
func (c *Client) failed(err error) error {
	if err != nil && c.ctx.Err() != nil {
		return fmt.Errorf("file: %w", lock.ErrClosed)
	}
	return err
}

// reply is an answer, with the time at which its request was first sent: the server has renewed the lease since
// then.
type reply struct {
	simfile.Answer
	sent time.Time
}

// exchange makes a request in a session, until it was executed.
func (c *Client) exchange(ctx context.Context, op simfile.Op, args []string) (reply, error) {
	for {
		if err := c.begin(ctx); err != nil {
			return reply{}, err
		}
		if op == simfile.Create { // a verifier that no other request has
			args[1] = fmt.Sprintf("%d.%d", c.session, c.number+1)
		}
		r, sendings, err := c.ask(ctx, op, args)
		switch {
		case err != nil:
			return reply{}, err
		case r.Status == simfile.Expired:
			c.session = 0
			c.loseAll()
			if sendings > 1 {
				return reply{}, fmt.Errorf("%s: %w", op, ErrUnknown)
			}
			continue
		}
		c.heard(r)
		c.reclaim(ctx, r.Boot)
		if r.Status != simfile.Grace {
			return r, nil
		}
		if err := c.rest(ctx, c.lease/8); err != nil {
			return reply{}, err
		}
	}
}

// begin opens a session if there is none.
func (c *Client) begin(ctx context.Context) error {
	for c.session == 0 {
		r, _, err := c.persist(ctx, simfile.Request{Op: simfile.Open, Args: []string{c.name}})
		if err != nil {
			return err
		}
		var numbers [2]int64
		for i := range min(len(r.Values), 2) {
			numbers[i], _ = strconv.ParseInt(r.Values[i], 10, 64) // 0 is refused below
		}
		if numbers[0] == 0 || numbers[1] == 0 {
			return fmt.Errorf("file: %s is answered with %s %q", simfile.Open, r.Status, r.Values)
		}
		c.session, c.number, c.lease = numbers[0], 0, time.Duration(numbers[1])*time.Millisecond
	}
	return nil
}

// ask makes a new request in the session.
func (c *Client) ask(ctx context.Context, op simfile.Op, args []string) (reply, int, error) {
	c.number++
	return c.persist(ctx, simfile.Request{Session: c.session, Number: c.number, Op: op, Args: args})
}

// persist sends a request until it is answered or ctx is done. It returns how often it sent the
// request.
func (c *Client) persist(ctx context.Context, r simfile.Request) (answer reply, sendings int, err error) {
	for {
		if err := c.connect(ctx); err == nil {
			if sendings++; sendings == 1 {
				answer.sent = c.clock.Now()
			}
			if answer.Answer, err = c.once(ctx, r); err == nil {
				return answer, sendings, nil
			}
			_ = c.conn.Close()
			c.conn = nil
		}
		if err := c.rest(ctx, pause); err != nil {
			return reply{}, sendings, err
		}
	}
}

// connect connects to the server, unless the client is connected.
func (c *Client) connect(ctx context.Context) (err error) {
	if c.conn != nil {
		return nil
	}
	err = c.within(ctx, func(ctx context.Context) (err error) {
		c.conn, err = c.dial(ctx)
		return err
	})
	if err != nil {
		c.conn = nil
		return err
	}
	c.in = bufio.NewReader(c.conn)
	return nil
}

// once sends a request on the present connection, and waits for its answer. It sends nothing if ctx is done already:
// otherwise the scheduler would decide whether the write or the deadline is first.
func (c *Client) once(ctx context.Context, r simfile.Request) (a simfile.Answer, err error) {
	if err := ctx.Err(); err != nil {
		return a, err
	}
	err = c.within(ctx, func(ctx context.Context) error {
		conn := c.conn
		defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(0, 1)) })()
		if _, err := conn.Write(r.Line()); err != nil {
			return err
		}
		line, err := c.in.ReadString('\n')
		if err != nil {
			return err
		}
		a, err = simfile.ParseAnswer(strings.TrimSuffix(line, "\n"))
		if err == nil && a.Number != r.Number {
			err = fmt.Errorf("file: an answer to request %d, want %d", a.Number, r.Number)
		}
		return err
	})
	return a, err
}

// within makes a call with a context that ends after the client's patience.
func (c *Client) within(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	limit := patience
	if c.lease > 0 {
		limit = min(limit, c.lease/4)
	}
	defer c.clock.AfterFunc(limit, cancel).Stop()
	return call(ctx)
}

// rest waits for d, and fails when ctx is done.
func (c *Client) rest(ctx context.Context, d time.Duration) error {
	timer := c.clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
