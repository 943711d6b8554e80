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
)

const (
	// glance is for how long the connection is read before the subscription
	// looks whether it has been closed.
	glance = 250 * time.Millisecond
	// silence is after how long without a word from the server the
	// subscription asks whether it is still there; after as long again it
	// takes the connection for dead.
	silence = 5 * time.Second
	// linger is for how long the subscription is kept when nobody waits: who
	// wants the lock again soon finds it there.
	linger = 5 * time.Second
	// scatter is within what time those who have been woken ask. A server tells
	// its subscribers in the order in which they came, always the same; if
	// they asked at once the process that is told first would have the lock
	// nearly always, as long as one of its threads wants it.
	scatter = 250 * time.Microsecond
)

type subscriber interface {
	Subscribe(ctx context.Context, channels ...string) *redis.PubSub
}

// A subscription is to the channel on which releases are told. All waiters of
// one locker share it: the first of them opens it, and it closes when nobody
// has waited for a while, or with the locker.
//
// One goroutine works with the connection, and nobody else, not even to close
// it: go-redis holds a mutex while it dials and writes, and whoever else wanted
// something of the connection would wait at that. So it reads for a short while
// only, and looks up.
//
// A message wakes the waiter that it names, or else the first of those without a
// name, and with broadcast all that have one. What wakes is a token that stays
// until the waiter takes it, so that a release between its look at the lock and
// its waiting is not missed. Those without a name want the same thing and stand
// in line for it: who finds it taken keeps its place, so that within a process
// nobody waits for ever longer, and need not pass the token on, since whoever has
// taken the thing will tell; who leaves without it does.
type subscription struct {
	client  subscriber
	channel string
	clock   clockwork.Clock
	random  *random // of the pause before it tries to subscribe again, and of scatter

	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup

	// broadcast has a message wake all that have a name.
	broadcast bool

	mu      sync.Mutex // never held while anything is waited for
	named   map[string]chan struct{}
	line    []*waiter // those without a name, in the order in which they came
	waiting int
	left    time.Time // when the last of them left
	rounds  int       // of listening, in vain and with nobody waiting, since somebody has
	open    bool      // the goroutine runs
	up      bool      // the server has confirmed
}

func newSubscription(client subscriber, channel string, clock clockwork.Clock, r *random) *subscription {
	s := &subscription{
		client: client, channel: channel, clock: clock, random: r,
		named: map[string]chan struct{}{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close ends the subscription, has all waiters return [lock.ErrClosed], and
// waits for the goroutine, which takes a quarter of a second at most, or until a
// request that is under way ends.
func (s *subscription) Close() error {
	s.mu.Lock()
	s.cancel() // within the mutex: nothing is started after it
	s.mu.Unlock()
	s.running.Wait()
	return nil
}

// A waiter is one who has joined.
type waiter struct {
	of   *subscription
	name string
	wake chan struct{}
}

// join makes the caller a waiter, by a name that messages may call it by or
// none, and opens the subscription. Whoever has joined leaves.
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

// leave is the end of waiting. A waiter that leaves without what it waited
// for, or while there may be more of it, or with a token, passes on.
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

// listening is whether messages come through.
func (s *subscription) listening() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.up
}

// wake answers false if there was a token already.
func wake(token chan struct{}) bool {
	select {
	case token <- struct{}{}:
		return true
	default:
		return false
	}
}

// told wakes whom a message is for.
func (s *subscription) told(name string) {
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

// wakeLine wakes the first of the line that has not been woken: one who has and
// did not look since may be waiting for an answer that does not come.
func (s *subscription) wakeLine() {
	for _, w := range s.line {
		if wake(w.wake) {
			return
		}
	}
}

// wakeNamed wakes all that have a name.
func (s *subscription) wakeNamed() {
	for _, name := range slices.Sorted(maps.Keys(s.named)) { // always in the same order
		wake(s.named[name])
	}
}

// confirmed notes that messages come through from now on. What was said
// before nobody has heard, so all who have a name look, and one of the others:
// whoever has the lock then will tell.
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

// sleep is the pause before another try to subscribe.
func (s *subscription) sleep() error {
	timer := s.clock.NewTimer(s.random.pause())
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

var (
	errIdle    = errors.New("redislocks: nobody waits")
	errDead    = errors.New("redislocks: the subscription's connection is silent")
	errGarbled = errors.New("redislocks: the subscription's connection has lost its thread")
)

// listen subscribes and hears messages until the subscription is closed,
// nobody has waited for a while, or the connection is of no use. go-redis
// subscribes again by itself when it breaks, and confirms that like the first
// time.
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

// hear answers whether the message is one that the server may have sent. If the
// reading stopped within a message, the rest of it is taken for something else.
func (s *subscription) hear(message any) bool {
	switch m := message.(type) {
	case *redis.Subscription:
		s.confirmed()
	case *redis.Message:
		s.told(m.Payload)
	case *redis.Pong:
		return m.Payload == "" || m.Payload == "PONG"
	default:
		return false
	}
	return true
}

// rest answers, after each round of listening, whether nobody has waited for a
// while. Whoever joins then opens the subscription again, so it is not open any
// more. As long as nothing is heard it counts rounds, and does not look at the
// clock: after a pause of the process nobody has waited for long, perhaps, but
// somebody may be about to.
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

// await asks until the answer is that it is held, or an error, waiting for a
// message in between, and for as long as most. name is the waiter's, or empty.
// more says that there may be enough for another when it is held.
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
				continue // something may have been said before
			}
		}
		if err := w.wait(ctx, a.bound(most)); err != nil {
			return err
		}
	}
}

// An answer is what a try has brought: it is held, or it is taken for as long
// as left at most, where less than zero is without an end.
type answer struct {
	held bool
	left time.Duration
}

// bound is how long to wait for a message after this answer. A key lives up to
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
		bound = min(bound, w.of.random.pause())
	}
	woken, err := w.rest(ctx, bound, w.wake)
	if err == nil && woken && w.name == "" {
		_, err = w.rest(ctx, time.Duration(w.of.random.draw(int(scatter))), nil)
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
	// Of several that are there at once the end goes first.
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
