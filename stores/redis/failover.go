package redis

import (
	"bytes"
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// MasterName is the name by which the sentinels of a run know the primary.
const MasterName = "mymaster"

// FailoverClient makes an unmodified go-redis failover client (redis.NewFailoverClient) of the sentinels of
// a run with topology=sentinel. It is closed when the run has ended, and may be closed earlier. Edit,
// if it is not nil, may change the options before.
//
// Everything is go-redis's default except as documented on [Options], and that dials of one client ask the
// sentinels one after another: go-redis holds a mutex while it asks, and virtual time would stop for
// goroutines that wait for the mutex. Connections to Redis are opened concurrently.
//
// It panics if the run has another store or another topology.
func FailoverClient(h cell.Host, edit func(*redis.FailoverOptions)) *redis.Client {
	c := h.AsClient().Reach(Store.ID(), "redis.Store")
	if c.Process() == nil || c.Setting(stage.Topology) != Sentinel {
		panic("this lock asks sentinels for the primary, and the run has none: set the parameter topology=sentinel, or connect with redis.Connect(c)")
	}
	f := &discovery{process: c.Process(), sentinels: c.Addresses(), free: make(chan struct{}, 1)}
	o := &redis.FailoverOptions{MasterName: MasterName, SentinelAddrs: c.Addresses(), Protocol: 2}
	o.PoolSize, o.PoolTimeout = pool(c.Setting(stage.PoolSize))
	o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return f.dial(ctx, network, addr, o.DialTimeout)
	}
	if edit != nil {
		edit(o)
	}
	client := redis.NewFailoverClient(o)
	client.Options().Limiter = &turns{f.process, MasterName}
	client.AddHook(f)
	c.Cleanup(func() { f.alone(func() { _ = client.Close() }) })
	return client
}

// discovery finds the primary for a failover client.
type discovery struct {
	process   *sim.Process
	sentinels []string
	free      chan struct{} // has an element while a dial asks the sentinels
	// present is the search under way, nil if there is none. Newer versions connect to sentinels in
	// goroutines of a pool, with contexts of their own.
	present atomic.Pointer[search]
}

// search is the search of one dial for the primary.
type search struct {
	probes *simredis.Probes
	over   sync.Once
}

// searchKey is the key of a [search] in the context of a dial.
type searchKey struct{}

// alone calls a function that needs go-redis's mutex when no dial asks the sentinels.
func (f *discovery) alone(call func()) {
	f.free <- struct{}{}
	defer func() { <-f.free }()
	call()
}

// DialHook lets dials ask the sentinels one after another. A dial is done with them when it opens a
// connection to Redis.
func (f *discovery) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		f.process.AwaitTurnFor(MasterName+" dial", f)
		if err := f.begin(ctx); err != nil {
			return nil, err
		}
		ctx, cancel := endsFirst(ctx)
		defer cancel()
		s := &search{probes: simredis.NewProbes()}
		f.present.Store(s)
		defer f.found(s)
		return next(context.WithValue(ctx, searchKey{}, s), network, addr)
	}
}

// begin waits until no other dial asks. It fails if the context has ended by then, which a select with
// two ready cases would not always notice.
func (f *discovery) begin(ctx context.Context) error {
	select {
	case f.free <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		<-f.free
		return err
	}
	return nil
}

// endsFirst returns a context that ends a moment before ctx does. Newer versions give a dial and the dials
// of sentinels that it begins the same limit, each as a deadline of its own. In reality the outer one ends
// first, by the time that the code between them takes; in the simulation, where code takes no time, they
// would end at one instant, and the scheduler would decide which is noticed.
func endsFirst(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ends := ctx.Deadline()
	if !ends {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, end.Add(-aMoment))
}

// aMoment is longer than the code between two limits takes.
const aMoment = 100 * time.Microsecond

// ProcessHook changes nothing.
func (f *discovery) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

// ProcessPipelineHook changes nothing.
func (f *discovery) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// found lets the next dial ask.
func (f *discovery) found(s *search) {
	s.over.Do(func() {
		f.present.Store(nil)
		<-f.free
	})
}

// dial opens a connection to a sentinel, or to Redis.
func (f *discovery) dial(ctx context.Context, network, addr string, timeout time.Duration) (net.Conn, error) {
	if !slices.Contains(f.sentinels, addr) {
		if s, searches := ctx.Value(searchKey{}).(*search); searches {
			f.found(s)
		}
		return dial(ctx, f.process, network, addr, timeout)
	}
	s, what := f.present.Load(), dialed()
	if what == forChannel {
		s = nil // a subscription of an earlier search reconnects
	}
	conn, err := dial(ctx, f.process, network, addr, timeout)
	switch {
	case err != nil && s != nil && what == forPubSub:
		s.probes.Over() // it does not subscribe
	case err != nil:
	case what != forCommands:
		return f.listen(conn, s), nil
	case s != nil:
		return s.probes.Conn(conn), nil
	}
	return conn, err
}

// listening is the connection on which a sentinel announces a new primary. Messages that arrive while a
// dial asks the sentinels are held back until it is done, because go-redis needs the same mutex for
// both.
type listening struct {
	net.Conn
	discovery *discovery
	search    *search // the search that subscribes by it; nil after a reconnect
	closed    chan struct{}
	once      sync.Once
	listens   atomic.Bool // it has subscribed: until then the dial itself reads
	holds     atomic.Bool // no dial asks the sentinels until the next Read
}

func (f *discovery) listen(c net.Conn, s *search) net.Conn {
	return &listening{Conn: c, discovery: f, search: s, closed: make(chan struct{})}
}

// Read reads data that has arrived, when no dial asks the sentinels.
func (l *listening) Read(b []byte) (int, error) {
	l.release()
	n, err := l.Conn.Read(b)
	if err != nil || !l.listens.Load() {
		return n, err
	}
	select {
	case l.discovery.free <- struct{}{}:
		l.holds.Store(true)
		return n, nil
	case <-l.closed:
		return 0, net.ErrClosed // as if the data had arrived a moment later
	}
}

// release lets dials ask the sentinels again: the data read has been handled.
func (l *listening) release() {
	if l.holds.CompareAndSwap(true, false) {
		<-l.discovery.free
	}
}

// subscribed releases the search's other answers.
func (l *listening) subscribed() {
	if l.search != nil {
		l.search.probes.Over()
	}
}

// Write notes the subscription.
func (l *listening) Write(b []byte) (int, error) {
	if bytes.Contains(bytes.ToLower(b), []byte("subscribe")) {
		l.listens.Store(true)
		l.subscribed()
	}
	return l.Conn.Write(b)
}

// Close ends the connection, and a Read that waits.
func (l *listening) Close() error {
	l.once.Do(func() { close(l.closed) })
	l.subscribed() // or never
	l.release()
	return l.Conn.Close()
}
