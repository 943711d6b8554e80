package lab

import (
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
)

// Servers are the real servers that a plan runs on. They are as new.
type Servers struct {
	// Addresses are what clients get as scenarios.Client.Addresses.
	Addresses []string
	// Dial connects a client, if not nil.
	Dial Dial
	// Requests is how many requests each node has served until now, by their names. It is
	// called when all connections are closed.
	Requests func(ctx context.Context) (map[string]map[string]int, error)
}

// Real makes a run on real servers: client processes are parts of this process, each with
// connections of its own, threads are goroutines, and the clock is the real one. Nothing is
// as in the run before; the seed determines only what clients and threads draw. Costs
// and Latency have no effect. The run is over when all threads are done; the error
// says what panicked. If ctx ends before, that is the error. No goroutine and no connection is left.
func (p Plan) Real(ctx context.Context, seed uint64, on Servers) (*Sample, error) {
	limited, cancel := context.WithTimeout(ctx, p.Limit)
	defer cancel()
	r := &realRun{
		plan: p, seed: seed, sample: newSample(), ctx: limited, cancel: cancel,
		connections: connections{dial: on.Dial},
	}
	err := r.make(on.Addresses)
	if err == nil {
		err = r.work()
	}
	r.end()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	r.sample.Received = r.connections.received()
	if r.sample.Requests, err = on.Requests(ctx); err != nil {
		return nil, fmt.Errorf("lab: what the servers have served: %w", err)
	}
	return r.sample, nil
}

// realRun is a run on real servers.
type realRun struct {
	plan   Plan
	seed   uint64
	ctx    context.Context
	cancel func()

	sample *Sample
	mu     sync.Mutex // of the sample

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
		c, end := scenarios.NewRealClient(processName(i), r.seed, outfit)
		r.ends = append(r.ends, end)
		r.guard(func() { r.works = append(r.works, r.plan.Client(c)) })
		if r.failure != nil {
			return r.failure
		}
	}
	return nil
}

// work has the threads work until all are done.
func (r *realRun) work() error {
	shared := run{start: time.Now(), clock: time.Now, sample: r.sample, mu: &r.mu}
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
	if r.ctx.Err() != nil {
		r.sample.Cut = fmt.Sprintf("it took longer than %v", r.plan.Limit)
	}
	return r.failure
}

// guard calls f. If that panics, the run ends with what it says.
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

// end closes the clients, and what they have left open.
func (r *realRun) end() {
	r.cancel()
	for _, end := range r.ends {
		end()
	}
	r.connections.close()
}
