package etcd

import (
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	etcdstore "github.com/lockpick-dev/lockpick/etcd/store"
	"github.com/lockpick-dev/lockpick/sim"
)

// New returns a client of a simulated process. The endpoints are addresses, host:port
// with IP literals. The caller closes it when the run has ended ([sim.World.OnEnd]):
// otherwise its goroutines are left behind. Clients of one process must be made in
// different steps, since the library sets the same timers for each.
//
// Everything is the library's default except what [Config] says.
func New(p *sim.Process, endpoints []string) (*clientv3.Client, error) {
	return finish(p, Config(p, endpoints))
}

// finish makes a client, with a stream for each watch.
func finish(p *sim.Process, c clientv3.Config) (*clientv3.Client, error) {
	client, err := clientv3.New(c)
	if err == nil {
		client.Watcher = &watches{Watcher: client.Watcher, process: p}
	}
	return client, err
}

// Config is the configuration that [New] uses, for callers that want to change some of
// it. A client and its configuration differ from the library's default in this:
//
//   - The dialer connects to the simulated network. Frames leave in a canonical order
//     (package simh2), and what the goroutines of the client do when a connection has
//     ended is in a fixed order.
//   - The flow-control windows are static. The library would otherwise send pings to
//     measure the bandwidth.
//   - The buffers for reads and writes of a connection have 4 KiB, not 32: a search makes
//     thousands of connections, and few messages are longer. Longer ones take more reads.
//   - Waits before new attempts, to connect and to call, have no random part.
//   - round_robin picks a connected endpoint by a hash of its address, the method and the
//     time. The library's round_robin begins at a random endpoint.
//   - Each stream of LeaseKeepAlive begins 3 us later than called, so that the timers
//     which keep leases alive and those which look for expired ones are not due at one
//     instant.
//   - In a process of several threads their calls carry the number of the thread, as
//     metadata.
//   - Each watch has a stream of its own: its call carries metadata that name what is
//     watched, and the library opens a stream for each set of metadata.
//   - Nothing is logged.
func Config(p *sim.Process, endpoints []string) clientv3.Config {
	c := clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop(), BackoffJitterFraction: leastJitter}
	for _, one := range cures(p) {
		c.DialOptions = append(c.DialOptions, one.options...)
	}
	return c
}

// cure is some options of gRPC, by what they put in order.
type cure struct {
	of      string
	options []grpc.DialOption
}

// cures are the options of gRPC that differ from the library's. The tests leave out one at a
// time.
func cures(p *sim.Process) []cure {
	return []cure{
		{"connections", []grpc.DialOption{
			grpc.WithContextDialer(etcdstore.Dialer(p, etcdstore.Frames)),
			grpc.WithReadBufferSize(bufferSize), grpc.WithWriteBufferSize(bufferSize),
		}},
		{"back-offs", []grpc.DialOption{grpc.WithConnectParams(connectParams)}},
		{"windows", []grpc.DialOption{grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window)}},
		{"turns", []grpc.DialOption{
			grpc.WithDisableServiceConfig(), // it names the library's own round_robin
			grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"` + balancerName + `":{}}]}`),
		}},
		{"keep-alives", []grpc.DialOption{grpc.WithChainStreamInterceptor(staggerKeepAlive)}},
		{"threads", []grpc.DialOption{grpc.WithChainUnaryInterceptor(tagCall(p))}},
	}
}

const (
	// leastJitter is a fraction of a wait that is less than a nanosecond. Zero would be
	// the library's default.
	leastJitter = 1e-18
	// bufferSize is that of a connection's buffers. gRPC makes them for each connection, and
	// a connection lives no longer than a run.
	bufferSize = 4 << 10
	// window is more than a client receives in a run.
	window = 1 << 30
)

// connectParams are gRPC's defaults without jitter.
var connectParams = grpc.ConnectParams{
	Backoff:           backoff.Config{BaseDelay: backoff.DefaultConfig.BaseDelay, Multiplier: backoff.DefaultConfig.Multiplier, MaxDelay: backoff.DefaultConfig.MaxDelay},
	MinConnectTimeout: 20 * time.Second,
}
