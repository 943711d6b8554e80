package recipe

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/lock"
)

// pause is the time between two tries of a request that was not answered. A request
// that cannot be sent waits in the connection, which tries its servers once a second.
const pause = 100 * time.Millisecond

// requests is a queue of requests, which are made one at a time and in the order in which
// they were submitted, whichever goroutine waits for them. So the clean-up of an abandoned
// acquisition precedes the client's next request.
type requests struct {
	mu      sync.Mutex // never held while anything is waited for
	queue   []func() error
	running bool
}

// submit adds a request to the queue and does not wait for it. The request returns the
// error of its last call of the library.
func (s *Session) submit(request func() error) {
	r := &s.requests
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, request)
	if !r.running {
		r.running = true
		go s.run()
	}
}

// run makes the requests until there are none. When the library can reach no server, it
// fails all its requests. Whether a request made at that moment fails as well depends
// on the scheduler, so the next one is made a little later.
func (s *Session) run() {
	r := &s.requests
	for {
		r.mu.Lock()
		if len(r.queue) == 0 {
			r.running = false
			r.mu.Unlock()
			return
		}
		next := r.queue[0]
		r.queue = r.queue[1:]
		r.mu.Unlock()
		if unsent(next()) {
			_ = s.wait(context.Background(), pause/2)
		}
	}
}

// A Call is a request by the client library.
type Call[T any] func(*zk.Conn) (T, error)

type answer[T any] struct {
	value T
	err   error
}

// Do makes a request in its turn. The library's requests take no context: if ctx is
// done first Do returns its error. A request under way then goes on in the background;
// a waiting one is not made.
func Do[T any](ctx context.Context, s *Session, request Call[T]) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	answers := make(chan answer[T], 1)
	s.submit(func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		value, err := request(s.conn)
		answers <- answer[T]{value, err}
		return err
	})
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// Ask is [Do] for an idempotent request: it repeats the request, after a pause, until
// it is answered.
func Ask[T any](ctx context.Context, s *Session, request Call[T]) (T, error) {
	for {
		value, err := Do(ctx, s, request)
		if err == nil || ctx.Err() != nil || !unanswered(err) {
			return value, s.lockError(err)
		}
		if err := s.rest(ctx); err != nil {
			return value, err
		}
	}
}

// rest waits between two tries of a request.
func (s *Session) rest(ctx context.Context) error { return s.wait(ctx, pause) }

// wait waits for d, unless the session is closed or ctx is done before.
func (s *Session) wait(ctx context.Context, d time.Duration) error {
	timer := s.clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return nil
	case <-s.closed:
		return lock.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lockError returns the error of package lock for an error of a request.
func (s *Session) lockError(err error) error {
	if errors.Is(err, zk.ErrClosing) {
		return lock.ErrClosed
	}
	return err
}

// unanswered reports whether a request failed with its connection.
func unanswered(err error) bool {
	var broken net.Error // of a write, which the library passes on
	return unsent(err) || errors.Is(err, zk.ErrConnectionClosed) ||
		errors.Is(err, zk.ErrSessionMoved) || errors.As(err, &broken)
}

// unsent reports whether a request failed before it was sent. Any other unanswered
// request may have been executed.
func unsent(err error) bool { return errors.Is(err, zk.ErrNoServer) }
