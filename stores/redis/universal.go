package redis

import (
	"context"
	"errors"
	"net"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Universal makes a go-redis client of the topology that the run has: a client of the primary's stable
// address, a failover client ([FailoverClient]) or a cluster client ([ClusterClient]). It is closed when
// the run has ended, and may be closed earlier. Edit, if it is not nil, may change the options that all
// three have, such as time-outs.
func Universal(c *cell.Client, edit func(*redis.UniversalOptions)) redis.UniversalClient {
	u := &redis.UniversalOptions{}
	if edit != nil {
		edit(u)
	}
	switch c.Setting(stage.Topology) {
	case Sentinel:
		return FailoverClient(c, func(o *redis.FailoverOptions) {
			o.DialTimeout, o.ReadTimeout, o.WriteTimeout = u.DialTimeout, u.ReadTimeout, u.WriteTimeout
			o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff = u.MaxRetries, u.MinRetryBackoff, u.MaxRetryBackoff
		})
	case Cluster:
		return ClusterClient(c, func(o *redis.ClusterOptions) {
			o.DialTimeout, o.ReadTimeout, o.WriteTimeout = u.DialTimeout, u.ReadTimeout, u.WriteTimeout
			o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff = u.MaxRetries, u.MinRetryBackoff, u.MaxRetryBackoff
		})
	}
	o := Options(c)
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout = u.DialTimeout, u.ReadTimeout, u.WriteTimeout
	o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff = u.MaxRetries, u.MinRetryBackoff, u.MaxRetryBackoff
	client := redis.NewClient(o)
	c.Cleanup(func() { _ = client.Close() })
	return client
}

// ClusterClient makes an unmodified go-redis cluster client (redis.NewClusterClient) of the nodes of a run with
// topology=cluster. It is closed when the run has ended, and may be closed earlier. Edit, if it is not nil,
// may change the options before.
//
// Everything is go-redis's default except what is said of [Options], and that the first command of a client
// passes alone: go-redis has a mutex locked while it asks a node for its commands, for which virtual time
// would wait.
//
// It panics if the store of the run is another one, or its topology.
func ClusterClient(c *cell.Client, edit func(*redis.ClusterOptions)) *redis.ClusterClient {
	c.MustReach(Store.ID(), "redis.Store")
	p := c.Process()
	if p == nil || c.Setting(stage.Topology) != Cluster {
		panic("this lock connects to a Redis Cluster, and the run has none: set the parameter topology=cluster, or connect with redis.Universal(c, nil)")
	}
	o := &redis.ClusterOptions{Addrs: c.Addresses()}
	o.PoolSize, o.PoolTimeout = pool(c.Setting(stage.PoolSize))
	o.NewClient = func(n *redis.Options) *redis.Client {
		n.Protocol, n.Limiter = 2, &turns{p, n.Addr}
		n.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
			return dial(ctx, p, network, addr, n.DialTimeout)
		}
		return redis.NewClient(n)
	}
	if edit != nil {
		edit(o)
	}
	client := redis.NewClusterClient(o)
	client.AddHook(&firstAlone{free: make(chan struct{}, 1)})
	c.Cleanup(func() { _ = client.Close() })
	return client
}

// firstAlone lets commands of a client pass one after another until the first has come through.
type firstAlone struct {
	free    chan struct{} // has an element while one is under way
	through atomic.Bool
}

// pass calls a function, alone if no command has come through.
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
