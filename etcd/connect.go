package etcd

import (
	"context"
	"net"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/lockpick-dev/lockpick/cell"
	etcdstore "github.com/lockpick-dev/lockpick/etcd/store"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Store is etcd: one cluster of three or five members, which replicate by majority.
var Store stage.Store = etcdstore.Store

func init() { stage.Link("etcd.Store", "github.com/lockpick-dev/lockpick/etcd") }

// Connect returns a client of a scenario's client process, which reaches all members of the
// cluster. It is closed when the run has ended; the lock must not close it. [Config] lists
// the differences from the library's default.
//
// A client of cell.NewRealClient has the library's own defaults, except its log.
//
// A lease of cell.Client.TTL has exactly that time to live if it is a whole number of
// seconds.
func Connect(h cell.Host) *clientv3.Client {
	c := h.AsClient().Reach(Store.ID(), "etcd.Store")
	client, err := open(c)
	if err != nil {
		panic("etcd: " + err.Error()) // there are no addresses
	}
	c.Cleanup(func() { _ = client.Close() })
	return client
}

// open makes a client of the simulated cluster, or of real members.
func open(c *cell.Client) (*clientv3.Client, error) {
	if c.Process() != nil {
		return New(c.Process(), c.Addresses())
	}
	return clientv3.New(clientv3.Config{
		Endpoints: c.Addresses(), Logger: zap.NewNop(),
		DialOptions: append(routed(c.Addresses()), grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			return c.Dial(ctx, "tcp", address)
		})),
	})
}
