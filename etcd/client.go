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
// [Config] lists the differences from the library's default.
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

// Config returns the configuration that [New] uses, for callers that want to change it. A
// client and its configuration differ from the library's default as follows:
//
//   - The dialer connects to the simulated network. Frames leave in a canonical order
//     (package simh2), and the goroutines of the client react to the end of a connection
//     in a fixed order.
//   - The flow-control windows are static. The library would otherwise send pings to
//     measure the bandwidth.
//   - The read and write buffers of a connection have 4 KiB, not 32: a search makes
//     thousands of connections, and few messages are longer; these take more reads.
//   - Waits before new attempts, to connect and to call, have no random part.
//   - round_robin picks a connected endpoint by a hash of its address, the method and the
//     time. The library's round_robin begins at a random endpoint.
//   - Each stream of LeaseKeepAlive begins 3 us after its call, so that the timers that
//     keep leases alive and those that look for expired ones are not due at one instant.
//   - In a process of several threads their calls carry the number of the thread, as
//     metadata.
//   - Each watch has a stream of its own: its call carries metadata that name the watched
//     keys, and the library opens a stream for each set of metadata.
//   - Nothing is logged.
func Config(p *sim.Process, endpoints []string) clientv3.Config {
	c := clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop(), BackoffJitterFraction: leastJitter}
	for _, one := range cures(p) {
		c.DialOptions = append(c.DialOptions, one.options...)
	}
	return c
}

// cure is a group of options of gRPC, named by what they make deterministic.
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
	// bufferSize is the size of a connection's buffers. gRPC makes them for each connection,
	// and a connection does not outlive its run.
	bufferSize = 4 << 10
	// window is the flow-control window: more than a client receives in a run.
	window = 1 << 30
)

// connectParams are gRPC's defaults without jitter.
var connectParams = grpc.ConnectParams{
	Backoff:           backoff.Config{BaseDelay: backoff.DefaultConfig.BaseDelay, Multiplier: backoff.DefaultConfig.Multiplier, MaxDelay: backoff.DefaultConfig.MaxDelay},
	MinConnectTimeout: 20 * time.Second,
}
