package etcd_test

import (
	"context"
	"math"
	"strconv"
	"time"

	"go.etcd.io/etcd/clientv3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd/store"
	"github.com/lockpick-dev/lockpick/sim"
)

// connect returns a client of a client process, which is closed when the run has ended.
// Everything is the library's default except what makes runs repeat. Options override that.
func connect(c *cell.Client, options ...grpc.DialOption) *clientv3.Client {
	client := connectAsIs(c, options...)
	client.Watcher = &watches{client.Watcher, c.Process()}
	return client
}

// connectAsIs does so with the library's own watches.
func connectAsIs(c *cell.Client, options ...grpc.DialOption) *clientv3.Client {
	silent := zap.NewProductionConfig()
	silent.OutputPaths, silent.ErrorOutputPaths = nil, nil
	client, err := clientv3.New(clientv3.Config{
		Endpoints:   c.Addresses(),
		LogConfig:   &silent,
		DialOptions: append(dialOptions(c.Process()), options...),
	})
	if err != nil {
		panic(err)
	}
	c.Cleanup(func() { _ = client.Close() })
	return client
}

// dialOptions are those of a client.
func dialOptions(p *sim.Process) []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithContextDialer(etcd.Dialer(p, etcd.Frames)),
		grpc.WithReadBufferSize(bufferSize),
		grpc.WithWriteBufferSize(bufferSize),
		// gRPC would send pings to measure the bandwidth, and choose windows by that.
		grpc.WithInitialWindowSize(window),
		grpc.WithInitialConnWindowSize(window),
		grpc.WithBalancerName(balancerName),
		grpc.WithChainStreamInterceptor(stagger),
		grpc.WithChainUnaryInterceptor(tag(p)),
	}
}

const (
	bufferSize = 4 << 10
	window     = math.MaxInt32 >> 1 // more than a client receives in a run
)

// stagger lets each stream that keeps leases alive begin a little later than called, so that
// its timers and those which look for expired leases are not due at one instant.
func stagger(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if method == etcd.KeepAliveMethod {
		time.Sleep(3 * time.Microsecond)
	}
	return streamer(ctx, desc, cc, method, opts...)
}

// tag adds the number of the calling thread to the metadata of calls.
func tag(p *sim.Process) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, request, answer any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		return invoke(tagged(ctx, p), method, request, answer, cc, opts...)
	}
}

// tagged adds the number of the calling thread to metadata, in a process of several threads:
// equal calls can then be told apart.
func tagged(ctx context.Context, p *sim.Process) context.Context {
	if thread, known := p.Thread(); known {
		return metadata.AppendToOutgoingContext(ctx, "lockpick-thread", strconv.Itoa(thread))
	}
	return ctx
}

// watches gives each watch a stream of its own, by metadata that say what it is of. The library
// has one for all, and asks for them again in the order of a map when a connection has ended.
type watches struct {
	clientv3.Watcher
	process *sim.Process
}

// Watch watches a key. If the context has ended it asks for nothing: the library selects at
// random between asking and giving up.
func (w *watches) Watch(ctx context.Context, key string, opts ...clientv3.OpOption) clientv3.WatchChan {
	if ctx.Err() != nil {
		closed := make(chan clientv3.WatchResponse)
		close(closed)
		return closed
	}
	of := strconv.QuoteToASCII(key) + " from " + strconv.FormatInt(clientv3.OpGet(key, opts...).Rev(), 10)
	return w.Watcher.Watch(metadata.AppendToOutgoingContext(tagged(ctx, w.process), "lockpick-watch", of), key, opts...)
}
