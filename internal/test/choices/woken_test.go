package choices

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// wrongOrders are locks of which two threads of a process exclude one another by what they keep in the process. Each is right as long as
// the scheduler runs goroutines in the order in which it usually does.
func wrongOrders() []cell.Lock {
	list := []cell.Lock{
		{ID: "holders-in-a-map", Summary: "asks a map of holders and writes to it, by one message each", Subject: cell.Mutex(newMapped)},
		{ID: "renewal-after-release", Summary: "renews and releases by commands of one queue", Subject: cell.Mutex(newQueued)},
		{ID: "wrong-waiter", Summary: "wakes all waiters, of which the first to run takes the lock", Subject: cell.Mutex(newHanding)},
	}
	for i := range list {
		list[i].Store = redisstore.Store
	}
	return list
}

// process is what the threads of a process share.
type process struct {
	*cell.Client
	redis *redis.Client
	end   context.Context
}

func newProcess(c *cell.Client) *process {
	client := redis.NewClient(redisstore.Options(c))
	end, cancel := context.WithCancel(context.Background())
	c.Cleanup(func() {
		cancel()
		_ = client.Close()
	})
	return &process{c, client, end}
}

// try asks for the record. This process may have it already, of a request whose answer was lost.
func (p *process) try(ctx context.Context) (got bool, err error) {
	got, err = p.redis.SetNX(ctx, p.LockName(), p.Name(), p.TTL()).Result()
	if err == nil && !got {
		owner, _ := p.redis.Get(ctx, p.LockName()).Result()
		got = owner == p.Name()
	}
	return got, err
}

// obtain polls for the record until this process has it.
func (p *process) obtain(ctx context.Context) error {
	for ctx.Err() == nil {
		got, err := p.try(ctx)
		if err != nil || got {
			return err
		}
		p.sleep(ctx, 20*time.Millisecond)
	}
	return ctx.Err()
}

func (p *process) sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

var deleteOwn = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

func (p *process) drop(ctx context.Context) error {
	return deleteOwn.Run(ctx, p.redis, []string{p.LockName()}, p.Name()).Err()
}

// mapped has a goroutine that owns the map of holders. Threads that wait are woken when the lock is free.
type mapped struct {
	*process
	ask, put chan string
	answer   chan bool
	mu       sync.Mutex
	freed    chan struct{}
}

func newMapped(c *cell.Client) lock.Locker {
	l := &mapped{process: newProcess(c), ask: make(chan string), put: make(chan string), answer: make(chan bool), freed: make(chan struct{})}
	go l.own()
	go l.poll()
	return l
}

// own owns the map.
func (l *mapped) own() {
	holders := map[string]bool{}
	for {
		select {
		case name := <-l.ask:
			l.answer <- holders[name]
		case name := <-l.put:
			holders[name] = !holders[name]
		case <-l.end.Done():
			return
		}
	}
}

// poll wakes the threads when no other process has the lock.
func (l *mapped) poll() {
	for l.end.Err() == nil {
		l.sleep(l.end, 20*time.Millisecond)
		owner, err := l.redis.Get(l.end, l.LockName()).Result()
		if errors.Is(err, redis.Nil) || owner == l.Name() {
			l.mu.Lock()
			close(l.freed)
			l.freed = make(chan struct{})
			l.mu.Unlock()
		}
	}
}

func (l *mapped) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		l.mu.Lock()
		freed := l.freed
		l.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		l.ask <- l.LockName()
		if <-l.answer {
			continue
		}
		l.put <- l.LockName() // another thread may have asked in between
		got, err := l.try(ctx)
		if got {
			return mappedLease{l}, nil
		}
		l.put <- l.LockName()
		if err != nil {
			return nil, err
		}
	}
}

type mappedLease struct{ *mapped }

func (l mappedLease) Release(ctx context.Context) error {
	err := l.drop(ctx)
	l.put <- l.LockName()
	return err
}

// queued sends one command of a process every few milliseconds.
type queued struct {
	*process
	turn  chan struct{} // of the threads
	mu    sync.Mutex
	flush chan struct{} // closed when the next command is sent
	queue []command
}

type command struct {
	run  func()
	done chan struct{}
}

func newQueued(c *cell.Client) lock.Locker {
	l := &queued{process: newProcess(c), turn: make(chan struct{}, 1), flush: make(chan struct{})}
	go func() {
		for l.end.Err() == nil {
			l.sleep(l.end, 10*time.Millisecond)
			l.send()
		}
	}()
	return l
}

// send sends the first command.
func (l *queued) send() {
	l.mu.Lock()
	close(l.flush)
	l.flush = make(chan struct{})
	queue := l.queue
	l.queue = queue[min(1, len(queue)):]
	l.mu.Unlock()
	if len(queue) > 0 {
		queue[0].run()
		close(queue[0].done)
	}
}

// next adds a command to the queue when the next one is sent.
func (l *queued) next(run func()) (done chan struct{}) {
	l.mu.Lock()
	flush := l.flush
	l.mu.Unlock()
	select {
	case <-flush:
	case <-l.end.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	done = make(chan struct{})
	l.queue = append(l.queue, command{run, done})
	return done
}

func (l *queued) Acquire(ctx context.Context) (lock.Lease, error) {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := l.obtain(ctx); err != nil {
		<-l.turn
		return nil, err
	}
	h := &queuedLease{queued: l, renewed: make(chan struct{})}
	go h.renew()
	return h, nil
}

type queuedLease struct {
	*queued
	released bool
	renewed  chan struct{}
}

// renew renews the lease again and again until the lock is released.
func (h *queuedLease) renew() {
	defer close(h.renewed)
	for h.end.Err() == nil {
		h.mu.Lock()
		over := h.released
		h.mu.Unlock()
		if over {
			return
		}
		done := h.next(func() { _ = h.redis.Set(h.end, h.LockName(), h.Name(), h.TTL()).Err() }) // the release may be in the queue already
		select {
		case <-done:
		case <-h.end.Done():
		}
	}
}

func (h *queuedLease) Release(ctx context.Context) error {
	h.mu.Lock()
	h.released = true
	h.mu.Unlock()
	done := h.next(func() { _ = h.drop(h.end) })
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	<-h.renewed
	<-h.turn
	return nil
}

// handing has a queue of threads. A goroutine obtains the lock for the first, and wakes all.
type handing struct {
	*process
	mu    sync.Mutex
	queue []*waiter
	free  bool // the lock is there for the thread that is woken first, which is the first of the queue
	wake  chan struct{}
	more  chan struct{}
	back  chan struct{}
}

type waiter struct{ granted bool }

func newHanding(c *cell.Client) lock.Locker {
	l := &handing{process: newProcess(c), wake: make(chan struct{}), more: make(chan struct{}, 1), back: make(chan struct{}, 8)}
	go l.keep()
	return l
}

// keep obtains the lock for the threads that wait, one after another.
func (l *handing) keep() {
	for l.end.Err() == nil {
		select {
		case <-l.more:
		case <-l.end.Done():
			return
		}
		for l.waiting() && l.obtain(l.end) == nil {
			l.grant()
			select {
			case <-l.back:
			case <-l.end.Done():
				return
			}
			_ = l.drop(l.end)
		}
	}
}

func (l *handing) waiting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) > 0
}

// grant grants the lock to the first of the queue.
func (l *handing) grant() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		l.back <- struct{}{}
		return
	}
	l.queue[0].granted, l.free = true, true
	close(l.wake)
	l.wake = make(chan struct{})
}

// took reports whether a thread that was woken has the lock.
func (l *handing) took(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.free {
		return w.granted
	}
	l.free = false
	l.queue = slices.DeleteFunc(l.queue, func(o *waiter) bool { return o == w })
	return true
}

func (l *handing) Acquire(ctx context.Context) (lock.Lease, error) {
	w := new(waiter)
	l.mu.Lock()
	l.queue = append(l.queue, w)
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
	for {
		l.mu.Lock()
		wake := l.wake
		l.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, l.leave(w, ctx.Err())
		}
		if l.took(w) {
			return handedLease{l}, nil
		}
	}
}

// leave gives up, and the lock with it if that was granted.
func (l *handing) leave(w *waiter, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = slices.DeleteFunc(l.queue, func(o *waiter) bool { return o == w })
	if w.granted && l.free {
		l.free = false
		l.back <- struct{}{}
	}
	return err
}

type handedLease struct{ *handing }

func (h handedLease) Release(context.Context) error {
	h.back <- struct{}{}
	return nil
}
