package etcd

import (
	"context"
	"time"

	"google.golang.org/grpc"

	etcdstore "github.com/lockpick-dev/lockpick/etcd/store"
)

// stagger is the delay of a stream that keeps leases alive. It is in whole
// microseconds, as package sim requires of timers.
const stagger = 3 * time.Microsecond

// staggerKeepAlive makes the goroutine that opens a stream of LeaseKeepAlive wait. Its
// timers (every 500 ms from then on) are then never due at the same instant as those of
// the goroutine that looks for expired leases (every second), and the first keep-alive
// leaves at once, since its lease is older than the stream.
func staggerKeepAlive(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if method == etcdstore.KeepAliveMethod {
		time.Sleep(stagger)
	}
	return streamer(ctx, desc, cc, method, opts...)
}
