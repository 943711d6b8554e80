package testlocks

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// The wired are one lock over a small client of its own, which names itself when
// it has connected. What differs is for how long it waits for an answer, and what
// it does when the answer to that first command does not come.
var wired = []cell.Lock{
	{ID: "test-wire", Summary: "hangs up when its connection cannot be set up within 3 s: sound", Subject: cell.Mutex(wire(3*time.Second, false))},
	{ID: "test-wire-shifted", Summary: "uses a connection whose set-up has timed out after 3 s, and takes each answer for the next one's", Subject: cell.Mutex(wire(3*time.Second, true))},
	{ID: "test-wire-shifted-slow", Summary: "the same with a time-out of 10 s", Subject: cell.Mutex(wire(10*time.Second, true))},
}

// wire makes the lock of a client with a read time-out. One that goes on uses a
// connection whose set-up has failed.
func wire(timeout time.Duration, goesOn bool) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		w := &wireClient{client: c, timeout: timeout, goesOn: goesOn, random: c.Rand().Uint64, turn: make(chan struct{}, 1)}
		c.Cleanup(w.hangUp)
		return w
	}
}

// wireClient is a client of one connection, on which threads take turns.
type wireClient struct {
	client  *cell.Client
	timeout time.Duration
	goesOn  bool
	random  func() uint64
	turn    chan struct{} // full while a thread uses the connection
	conn    net.Conn
	answers *bufio.Reader
}

// alone waits until no other thread uses the connection; the result ends the turn.
func (w *wireClient) alone() (end func()) {
	w.turn <- struct{}{}
	return func() { <-w.turn }
}

// connect makes the connection if there is none.
func (w *wireClient) connect(ctx context.Context) error {
	if w.conn != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	conn, err := w.client.Dial(ctx, "tcp", redisstore.Options(w.client).Addr)
	if err != nil {
		return err
	}
	w.conn, w.answers = conn, bufio.NewReader(conn)
	if _, err := w.ask("CLIENT", "SETNAME", w.client.Name()); err != nil && !w.goesOn {
		w.hangUp()
		return err
	}
	return nil
}

func (w *wireClient) hangUp() {
	if w.conn != nil {
		_ = w.conn.Close() // nothing depends on it
		w.conn = nil
	}
}

// do runs a command, and hangs up if it fails.
func (w *wireClient) do(ctx context.Context, words ...string) (string, error) {
	if err := w.connect(ctx); err != nil {
		return "", err
	}
	answer, err := w.ask(words...)
	if err != nil {
		w.hangUp()
	}
	return answer, err
}

// ask sends a command and reads the line that comes next: its answer, unless an
// earlier one is still owed.
func (w *wireClient) ask(words ...string) (string, error) {
	if err := w.conn.SetDeadline(time.Now().Add(w.timeout)); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, word := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := w.conn.Write([]byte(b.String())); err != nil {
		return "", err
	}
	line, err := w.answers.ReadString('\n')
	if err == nil && strings.HasPrefix(line, "-") {
		err = errors.New(line)
	}
	return strings.TrimSpace(line), err
}

// Acquire asks for the lock until it has it, ctx is done or something fails. It
// gives back then what it may have taken.
func (w *wireClient) Acquire(ctx context.Context) (lock.Lease, error) {
	l := &wireLease{wireClient: w, value: fmt.Sprintf("%s-%x", w.client.Name(), w.random())}
	for {
		taken, err := l.take(ctx)
		if taken {
			return l, nil
		}
		if err == nil {
			w.client.Clock().Sleep(steady())
			err = ctx.Err()
		}
		if err != nil {
			return nil, errors.Join(err, l.Release(context.WithoutCancel(ctx)))
		}
	}
}

// wireLease is one acquisition.
type wireLease struct {
	*wireClient
	value string
	until time.Time
}

// take tries once. A success that came too late is none.
func (l *wireLease) take(ctx context.Context) (bool, error) {
	defer l.alone()()
	if err := l.connect(ctx); err != nil {
		return false, err
	}
	l.until = l.client.Clock().Now().Add(l.client.TTL() - margin)
	answer, err := l.do(ctx, "SET", l.client.LockName(), l.value, "NX", "PX", strconv.FormatInt(l.client.TTL().Milliseconds(), 10))
	if err == nil && answer == "+OK" && !l.client.Clock().Now().Before(l.until) {
		err = errTooLate
	}
	return err == nil && answer == "+OK", err
}

const deleteOwn = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

// Release gives the lock back if it is still its own.
func (l *wireLease) Release(ctx context.Context) error {
	defer l.alone()()
	answer, err := l.do(ctx, "EVAL", deleteOwn, "1", l.client.LockName(), l.value)
	if err == nil && answer != ":1" {
		err = lock.ErrNotHeld
	}
	return err
}

// Until returns the end of the lease.
func (l *wireLease) Until() time.Time { return l.until }
