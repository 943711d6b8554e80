package redis

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// ClusterClient makes an unmodified go-redis cluster client (redis.NewClusterClient) of the nodes of a run with
// topology=cluster. It is closed when the run has ended, and may be closed earlier. Edit, if it is not nil,
// may change the options before.
//
// Everything is go-redis's default except as documented on [Options], and:
//
//   - The first command of a client runs alone: go-redis holds a mutex while it asks a node for its commands,
//     and virtual time would stop for goroutines that wait for the mutex.
//   - ClusterSlots asks a random node, as go-redis would. Without it, go-redis lists its nodes in the order of
//     a map from a minute after the first answer on, and asks different nodes in each run. It is not set for a
//     client that reads from replicas (ReadOnly, RouteByLatency, RouteRandomly), because go-redis sends
//     READONLY only without it: runs of such a client that last for more than a minute may differ.
//
// It panics if the run has another store or another topology.
func ClusterClient(h cell.Host, edit func(*redis.ClusterOptions)) *redis.ClusterClient {
	c := h.AsClient().Reach(Store.ID(), "redis.Store")
	p := c.Process()
	if p == nil || c.Setting(stage.Topology) != Cluster {
		panic("this lock connects to a Redis Cluster, and the run has none: set the parameter topology=cluster, or connect with redis.Universal(c, nil)")
	}
	client, closed := clusterClient(p, c.Addresses(), c.Setting(stage.PoolSize), edit)
	c.Cleanup(closed)
	return client
}

// clusterClient makes the client of a process, and the function that closes it.
func clusterClient(p *sim.Process, addresses []string, poolSize int, edit func(*redis.ClusterOptions)) (client *redis.ClusterClient, closed func()) {
	o := &redis.ClusterOptions{Addrs: addresses}
	o.PoolSize, o.PoolTimeout = pool(poolSize)
	f := &finding{process: p, addresses: addresses, options: func(addr string) *redis.Options { return nodeOptions(o, addr) }}
	f.random, f.nodes, f.spare = p.Rand("cluster slots"), map[string]*redis.Client{}, map[string]bool{}
	f.open = func(n *redis.Options) *redis.Client {
		n.Protocol, n.Limiter = 2, &turns{p, n.Addr}
		n.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
			return dial(ctx, p, network, addr, n.DialTimeout)
		}
		return redis.NewClient(n)
	}
	o.NewClient = f.newClient
	if edit != nil {
		edit(o)
	}
	if !o.ReadOnly && !o.RouteByLatency && !o.RouteRandomly {
		o.ClusterSlots = f.slots
	}
	client = redis.NewClusterClient(o)
	client.AddHook(&firstAlone{free: make(chan struct{}, 1)})
	return client, func() {
		_ = client.Close()
		f.close()
	}
}

// firstAlone lets commands of a client pass one after another until the first has succeeded.
type firstAlone struct {
	free    chan struct{} // has an element while one is under way
	through atomic.Bool
}

// pass calls a function, alone if no command has succeeded.
func (f *firstAlone) pass(ctx context.Context, call func() error) error {
	if f.through.Load() {
		return call()
	}
	select {
	case f.free <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-f.free }()
	err := call()
	var answer redis.Error
	if err == nil || errors.As(err, &answer) {
		f.through.Store(true)
	}
	return err
}

// DialHook changes nothing.
func (f *firstAlone) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook lets the first command pass alone.
func (f *firstAlone) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return f.pass(ctx, func() error { return next(ctx, cmd) })
	}
}

// ProcessPipelineHook does so with the first pipeline.
func (f *firstAlone) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return f.pass(ctx, func() error { return next(ctx, cmds) })
	}
}

// finding finds out which node has which slots, for a cluster client. It shares the clients of single nodes
// with go-redis, which uses them for commands.
type finding struct {
	process   *sim.Process
	addresses []string
	options   func(addr string) *redis.Options
	open      func(*redis.Options) *redis.Client

	mu     sync.Mutex // never held while anything is waited for
	random *rand.Rand
	nodes  map[string]*redis.Client // the last of each node
	spare  map[string]bool          // go-redis has not asked for it yet
}

// newClient makes the client of a node for go-redis.
func (f *finding) newClient(o *redis.Options) *redis.Client {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.spare[o.Addr] {
		delete(f.spare, o.Addr)
		return f.nodes[o.Addr]
	}
	f.nodes[o.Addr] = f.open(o)
	return f.nodes[o.Addr]
}

// node returns a client of a node to ask. Anew is set if the last one has been closed.
func (f *finding) node(addr string, anew bool) *redis.Client {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.nodes[addr] == nil || anew {
		f.nodes[addr], f.spare[addr] = f.open(f.options(addr)), true
	}
	return f.nodes[addr]
}

// slots asks the nodes in a random order, until one answers.
func (f *finding) slots(ctx context.Context) ([]redis.ClusterSlot, error) {
	var first error
	for _, i := range f.order() {
		addr := f.addresses[i]
		slots, err := f.ask(ctx, f.node(addr, false))
		if errors.Is(err, redis.ErrClosed) {
			slots, err = f.ask(ctx, f.node(addr, true))
		}
		if err == nil {
			return slots, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// ask asks a node. If commands for it begin at the same instant, the question has a place of its own among them:
// go-redis asks in a goroutine of the command that has found the slots outdated, and may ask before that command gets
// there.
func (f *finding) ask(ctx context.Context, node *redis.Client) ([]redis.ClusterSlot, error) {
	o := node.Options()
	f.process.AwaitTurnFor("slots of "+o.Addr, o.Limiter)
	return node.ClusterSlots(ctx).Result()
}

// close closes the clients that go-redis has not taken.
func (f *finding) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	// unordered: each is closed by itself
	for addr := range f.spare {
		_ = f.nodes[addr].Close()
	}
}

// order returns a random order of the nodes.
func (f *finding) order() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.random.Perm(len(f.addresses))
}

// nodeOptions derives the options of a node's client from those of a cluster client, as go-redis does.
func nodeOptions(o *redis.ClusterOptions, addr string) *redis.Options {
	return &redis.Options{
		Addr: addr, ClientName: o.ClientName, OnConnect: o.OnConnect, Username: o.Username, Password: o.Password,
		MaxRetries: o.MaxRetries, MinRetryBackoff: o.MinRetryBackoff, MaxRetryBackoff: o.MaxRetryBackoff,
		DialTimeout: o.DialTimeout, ReadTimeout: o.ReadTimeout, WriteTimeout: o.WriteTimeout,
		PoolFIFO: o.PoolFIFO, PoolSize: o.PoolSize, PoolTimeout: o.PoolTimeout,
		MinIdleConns: o.MinIdleConns, MaxIdleConns: o.MaxIdleConns,
		ConnMaxIdleTime: o.ConnMaxIdleTime, ConnMaxLifetime: o.ConnMaxLifetime, TLSConfig: o.TLSConfig,
	}
}
