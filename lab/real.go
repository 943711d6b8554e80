package lab

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/sim"
)

// Servers are the real servers that a plan runs on. They must be freshly started.
type Servers struct {
	// Addresses are the cell.Client.Addresses of clients.
	Addresses []string
	// Dial connects a client, if not nil.
	Dial Dial
	// Requests returns the number of requests that each node has served, by their names. It is called when counting begins
	// ([Plan].From), and when the last thread has finished.
	Requests func(ctx context.Context) (map[string]map[string]int, error)
}

// Real makes a run on real servers: client processes are parts of this process, each with connections of its own, threads
// are goroutines, and the clock is the real one. Such runs do not repeat; the seed determines only the random numbers of
// clients and threads. Costs and Latency have no effect. The run is over when all threads have finished; the error has the
// panic, if any. If ctx ends first, its error is returned. No goroutine and no connection is left.
func (p Plan) Real(ctx context.Context, seed uint64, on Servers) (*Sample, error) {
	limited, cancel := context.WithTimeout(ctx, cmp.Or(p.Until, p.Limit))
	defer cancel()
	r := &realRun{
		plan: p, seed: seed, sample: newSample(), ctx: limited, cancel: cancel,
		connections: connections{dial: on.Dial},
	}
	r.sample.From = p.From
	if p.Moment > 0 {
		r.connections.sent = r.sent
	}
	err := r.make(on.Addresses)
	if err == nil {
		uncounted := r.uncounted(on)
		err = r.work()
		r.before = <-uncounted
		r.after = r.tally(on)
	}
	r.end()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	return r.sample, r.count()
}

// count records what was served and received since counting began.
func (r *realRun) count() error {
	if err := cmp.Or(r.before.err, r.after.err); err != nil {
		return fmt.Errorf("lab: what the servers have served: %w", err)
	}
	r.sample.Requests = r.after.requests
	r.sample.Received = r.after.received - r.before.received
	for node, requests := range r.before.requests { // unordered: each is another node's
		for name, n := range requests { // unordered: each is another request's
			r.sample.Requests[node][name] -= n
		}
	}
	return nil
}

// tally is the number of requests served and segments received by some time.
type tally struct {
	requests map[string]map[string]int
	received int
	err      error
}

// tally returns the present tally.
func (r *realRun) tally(on Servers) tally {
	t := tally{received: r.connections.received()}
	t.requests, t.err = on.Requests(context.WithoutCancel(r.ctx))
	return t
}

// uncounted sends the tally before counting, once.
func (r *realRun) uncounted(on Servers) <-chan tally {
	result := make(chan tally, 1)
	if r.plan.From == 0 {
		result <- tally{}
		return result
	}
	go func() {
		select {
		case <-time.After(r.plan.From):
		case <-r.ctx.Done():
		}
		result <- r.tally(on)
	}()
	return result
}

// realRun is a run on real servers.
type realRun struct {
	plan   Plan
	seed   uint64
	ctx    context.Context
	cancel func()

	sample *Sample
	before tally      // when counting began
	after  tally      // when it ended
	mu     sync.Mutex // of the sample, and of start
	start  time.Time  // when the threads began; zero before

	connections connections
	works       []func(*Thread) // of each process
	ends        []func()

	failing sync.Mutex
	failure error
}

// make makes the client processes.
func (r *realRun) make(addresses []string) error {
	for i := range r.plan.Processes {
		outfit := r.plan.outfit(addresses)
		outfit.Dial = r.connections.connect
		c, end := cell.NewRealClient(processName(i), r.seed, outfit)
		r.ends = append(r.ends, end)
		r.guard(func() { r.works = append(r.works, r.plan.Client(c)) })
		if r.failure != nil {
			return r.failure
		}
	}
	return nil
}

// work runs the threads until all have finished.
func (r *realRun) work() error {
	shared := run{start: time.Now(), clock: time.Now, sample: r.sample, mu: &r.mu}
	r.mu.Lock()
	r.start = shared.start
	r.mu.Unlock()
	var threads sync.WaitGroup
	for i, work := range r.works {
		for n := range r.plan.Threads {
			t := &Thread{
				Process: i, Number: n, Rand: sim.NewRand(r.seed, processName(i)+"/thread "+strconv.Itoa(n)),
				ctx: r.ctx, run: shared,
			}
			threads.Go(func() { r.guard(func() { work(t) }) })
		}
	}
	threads.Wait()
	r.sample.Elapsed = time.Since(shared.start)
	if r.ctx.Err() != nil && r.plan.Until == 0 {
		r.sample.Cut = fmt.Sprintf("it took longer than %v", r.plan.Limit)
	}
	return r.failure
}

// sent counts a segment that a client sends as one that arrives.
func (r *realRun) sent() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := time.Since(r.start) - r.plan.From; !r.start.IsZero() && at >= 0 {
		r.sample.arrives(at, r.plan.Moment)
	}
}

// guard calls f. If f panics, the run ends with the panic.
func (r *realRun) guard(f func()) {
	defer func() {
		if v := recover(); v != nil {
			r.failing.Lock()
			defer r.failing.Unlock()
			if r.failure == nil {
				r.failure = fmt.Errorf("lab: the run failed: %v\n%s", v, debug.Stack())
			}
			r.cancel()
		}
	}()
	f()
}

// end closes the clients and their connections.
func (r *realRun) end() {
	r.cancel()
	for _, end := range r.ends {
		end()
	}
	r.connections.close()
}
