package redislocks

import (
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
)

const (
	// glance is how long the subscription reads before it checks whether it has
	// been closed.
	glance = 250 * time.Millisecond
	// silence is the time without a message after which the subscription pings the
	// server; after the same time again it takes the connection for dead.
	silence = 5 * time.Second
	// linger is how long the subscription is kept without waiters, for the next
	// waiter.
	linger = 5 * time.Second
	// scatter is the range of the random delay after which woken waiters ask. A server
	// always notifies its subscribers in the order of their subscriptions; without a
	// delay the first process would nearly always get the lock, as long as one of its
	// threads wants it.
	scatter = 250 * time.Microsecond
)

type subscriber interface {
	Subscribe(ctx context.Context, channels ...string) *redis.PubSub
}

// A subscription is to the channel on which releases are published. All waiters of
// one locker share it: the first of them opens it, and it closes after a while
// without waiters, or with the locker.
//
// Only one goroutine uses the connection, even to close it: go-redis holds a mutex
// while it dials and writes, and any other goroutine would block on that. So it reads
// only for a short while, and then checks whether it should end.
//
// A message wakes the waiter that it names, or else the first of those without a name,
// and with broadcast all that have a name. It wakes by a token that stays until the
// waiter takes it, so that a release between a waiter's try and its wait is not missed.
// Waiters without a name want the same lock and form a line. A waiter that finds the
// lock taken keeps its place, so that waits within a process are fair, and need not
// pass the token on, since the new holder's release will wake the next. A waiter that
// leaves without the lock passes it on.
type subscription struct {
	client  subscriber
	channel string
	clock   clockwork.Clock
	random  *polling.Random // draws the pause before it tries to subscribe again, and scatter

	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup

	// broadcast makes a message wake all waiters that have a name.
	broadcast bool

	mu      sync.Mutex // never held while anything is waited for
	named   map[string]chan struct{}
	line    []*waiter // those without a name, in the order in which they came
	waiting int
	left    time.Time // when the last of them left
	rounds  int       // rounds of listening without a message and without waiters, since the last waiter
	open    bool      // the goroutine runs
	up      bool      // the server has confirmed
}

func newSubscription(client subscriber, channel string, clock clockwork.Clock, r *polling.Random) *subscription {
	s := &subscription{
		client: client, channel: channel, clock: clock, random: r,
		named: map[string]chan struct{}{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close ends the subscription, makes all waiters return [lock.ErrClosed], and waits for
// the goroutine, which takes at most a quarter of a second, or until a request under
// way ends.
func (s *subscription) Close() error {
	s.mu.Lock()
	s.cancel() // within the mutex: nothing is started after it
	s.mu.Unlock()
	s.running.Wait()
	return nil
}

// A waiter is a caller that has joined.
type waiter struct {
	of   *subscription
	name string
	wake chan struct{}
}

// join makes the caller a waiter, with a name for messages or none, and opens the
// subscription. The caller must call leave.
func (s *subscription) join(name string) *waiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting++
	s.rounds = 0
	if !s.open && s.ctx.Err() == nil {
		s.open = true
		s.running.Go(s.run)
	}
	w := &waiter{of: s, name: name, wake: make(chan struct{}, 1)}
	if name != "" {
		s.named[name] = w.wake
	} else {
		s.line = append(s.line, w)
	}
	return w
}

// leave ends the wait. A waiter that leaves without the lock, or while more permits may
// be free, or with a token, wakes the next.
func (w *waiter) leave(passOn bool) {
	s := w.of
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting--
	s.left, s.rounds = s.clock.Now(), 0
	if w.name != "" {
		delete(s.named, w.name)
		return
	}
	s.line = slices.DeleteFunc(s.line, func(other *waiter) bool { return other == w })
	if passOn || len(w.wake) > 0 {
		s.wakeLine()
	}
}

// listening reports whether messages arrive.
func (s *subscription) listening() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.up
}

// wake puts a token into the channel. It returns false if there was one already.
func wake(token chan struct{}) bool {
	select {
	case token <- struct{}{}:
		return true
	default:
		return false
	}
}

// received wakes the waiters that a message is for.
func (s *subscription) received(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token, ok := s.named[name]; ok {
		wake(token)
		return
	}
	if s.broadcast {
		s.wakeNamed()
	}
	s.wakeLine()
}

// wakeLine wakes the first waiter of the line that has not been woken: one that was
// woken and has not asked since may be waiting for an answer that never arrives.
func (s *subscription) wakeLine() {
	for _, w := range s.line {
		if wake(w.wake) {
			return
		}
	}
}

// wakeNamed wakes all waiters that have a name.
func (s *subscription) wakeNamed() {
	for _, name := range slices.Sorted(maps.Keys(s.named)) { // always in the same order
		wake(s.named[name])
	}
}

// confirmed notes that messages arrive from now on. Earlier messages were missed, so it
// wakes all waiters with a name, and one of the others: the next release will wake the
// rest.
func (s *subscription) confirmed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.up = true
	s.wakeNamed()
	s.wakeLine()
}

// run listens until the subscription is closed or idle.
func (s *subscription) run() {
	for {
		if errors.Is(s.listen(), errIdle) {
			return
		}
		s.interrupted()
		if s.sleep() != nil {
			return // closed
		}
	}
}

func (s *subscription) interrupted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.up = false
}

// sleep pauses before another try to subscribe.
func (s *subscription) sleep() error {
	timer := s.clock.NewTimer(s.random.Pause())
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

var (
	errIdle    = errors.New("redislocks: no waiter")
	errDead    = errors.New("redislocks: the subscription's connection is silent")
	errGarbled = errors.New("redislocks: unexpected message on the connection of the subscription")
)

// listen subscribes and handles messages until the subscription is closed, has had no
// waiters for a while, or the connection is unusable. When the connection breaks,
// go-redis subscribes again by itself, and reports the confirmation like the first.
func (s *subscription) listen() error {
	messages := s.client.Subscribe(s.ctx, s.channel)
	defer func() { _ = messages.Close() }()
	quiet, asked, failures := time.Duration(0), false, 0
	for {
		message, err := messages.ReceiveTimeout(s.ctx, glance)
		switch {
		case err == nil:
			quiet, asked, failures = 0, false, 0
			if !s.hear(message) {
				return errGarbled
			}
		case silent(err):
			if quiet += glance; quiet < silence {
				break
			}
			if asked {
				return errDead
			}
			quiet, asked = 0, true
			_ = messages.Ping(s.ctx) // if it fails there is no answer either
		default:
			s.interrupted()
			if failures++; failures > 1 && s.sleep() != nil {
				return s.ctx.Err()
			}
		}
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if s.rest(err == nil) {
			return errIdle
		}
	}
}

func silent(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// hear handles a message, and returns false if the server cannot have sent it: if
// reading stopped within a message, its rest is read as something else.
func (s *subscription) hear(message any) bool {
	switch m := message.(type) {
	case *redis.Subscription:
		s.confirmed()
	case *redis.Message:
		s.received(m.Payload)
	case *redis.Pong:
		return m.Payload == "" || m.Payload == "PONG"
	default:
		return false
	}
	return true
}

// rest reports, after each round of listening, whether there have been no waiters
// for a while. The subscription then counts as closed, and the next waiter opens it
// again. While no message comes it counts rounds instead of reading the clock:
// after a pause of the process the clock shows a long time without waiters, but one
// may be about to join.
func (s *subscription) rest(heard bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting > 0 {
		return false
	}
	idle := s.clock.Since(s.left) >= linger
	if !heard {
		s.rounds++
		idle = s.rounds >= int(linger/glance)
	}
	if idle {
		s.open, s.up = false, false
	}
	return idle
}

// await asks until the lock is held or an error occurs, and between tries waits for a
// message, for up to most. Name is the waiter's name, or empty. More is set if another
// waiter may succeed, too, when this one does.
func (s *subscription) await(ctx context.Context, name string, most time.Duration, more bool, ask func(context.Context) (answer, error)) (err error) {
	var w *waiter
	if s.listening() {
		w = s.join(name)
	}
	defer func() {
		if w != nil {
			w.leave(more || err != nil)
		}
	}()
	for {
		if s.ctx.Err() != nil {
			return lock.ErrClosed
		}
		a, err := ask(ctx)
		if err != nil || a.held {
			return err
		}
		if w == nil {
			if w = s.join(name); s.listening() {
				continue // an earlier message may have been missed
			}
		}
		if err := w.wait(ctx, a.bound(most)); err != nil {
			return err
		}
	}
}

// An answer is the result of a try: the lock is held, or another has it for at most
// left; a negative left means without limit.
type answer struct {
	held bool
	left time.Duration
}

// bound returns how long to wait for a message after this answer. A key lives up to
// a millisecond longer than its PTTL says.
func (a answer) bound(most time.Duration) time.Duration {
	if a.left < 0 {
		return most
	}
	return min(a.left+time.Millisecond, most)
}

// wait waits for a message, but no longer than bound, and no longer than a
// pause while there is no subscription.
func (w *waiter) wait(ctx context.Context, bound time.Duration) error {
	if !w.of.listening() {
		bound = min(bound, w.of.random.Pause())
	}
	woken, err := w.rest(ctx, bound, w.wake)
	if err == nil && woken && w.name == "" {
		_, err = w.rest(ctx, time.Duration(w.of.random.Draw(int(scatter))), nil)
	}
	return err
}

// rest waits for the token for some time.
func (w *waiter) rest(ctx context.Context, most time.Duration, token <-chan struct{}) (woken bool, err error) {
	timer := w.of.clock.NewTimer(most)
	defer timer.Stop()
	select {
	case <-token:
		woken = true
	case <-timer.Chan():
	case <-w.of.ctx.Done():
	case <-ctx.Done():
	}
	// If several are ready at once, the end takes precedence.
	switch {
	case w.of.ctx.Err() != nil:
		err = lock.ErrClosed
	case ctx.Err() != nil:
		err = ctx.Err()
	}
	if woken && err != nil {
		wake(w.wake) // for the next one, when w leaves
	}
	return woken && err == nil, err
}
