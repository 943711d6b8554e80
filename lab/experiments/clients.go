package experiments

import (
	"context"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
)

// handshake are the requests by which go-redis begins a connection.
var handshake = []string{"HELLO", "CLIENT"}

// redisClient returns a client with a connection for each thread.
func redisClient(c *cell.Client, o *redis.Options, threads int) *redis.Client {
	o.PoolSize = threads
	client := redis.NewClient(o)
	c.Cleanup(func() { _ = client.Close() })
	return client
}

// Quiet makes go-redis log nothing in this process. When a run ends in the middle of requests, it would log each lost
// connection.
func Quiet() { redis.SetLogger(quiet{}) }

type quiet struct{}

// Printf drops the message.
func (quiet) Printf(context.Context, string, ...any) {}

// requestCounter counts the requests of a client that have a context of [counting].
type requestCounter struct{}

type requestCount struct{}

// counting returns a context for requests that are to be counted.
func counting(ctx context.Context, count **atomic.Int64) context.Context {
	*count = new(atomic.Int64)
	return context.WithValue(ctx, requestCount{}, *count)
}

// DialHook changes nothing.
func (requestCounter) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook counts a request.
func (requestCounter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if n, counts := ctx.Value(requestCount{}).(*atomic.Int64); counts {
			n.Add(1)
		}
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook changes nothing: no experiment counts pipelines.
func (requestCounter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
