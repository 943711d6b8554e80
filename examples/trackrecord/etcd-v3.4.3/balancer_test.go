package etcd_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"time"

	_ "go.etcd.io/etcd/clientv3" // registers its balancer
	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/resolver"
)

// The names of the library's balancer, and of the same with another order of turns.
const (
	libraryBalancer = "etcd-picker-roundrobin-balanced"
	balancerName    = "lockpick_rendezvous"
)

func init() { balancer.Register(builder{}) }

// builder builds the library's balancer with pickers of another order.
type builder struct{}

func (builder) Name() string { return balancerName }

func (builder) Build(cc balancer.ClientConn, opts balancer.BuildOptions) balancer.Balancer {
	return balancer.Get(libraryBalancer).Build(&clientConn{ClientConn: cc, addresses: map[balancer.SubConn]string{}}, opts)
}

// clientConn is what the balancer takes for the gRPC client. It replaces the pickers.
type clientConn struct {
	balancer.ClientConn
	mu        sync.Mutex
	addresses map[balancer.SubConn]string
}

// NewSubConn notes the address of a connection.
func (c *clientConn) NewSubConn(addresses []resolver.Address, opts balancer.NewSubConnOptions) (balancer.SubConn, error) {
	sc, err := c.ClientConn.NewSubConn(addresses, opts)
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.addresses[sc] = addresses[0].Addr
	}
	return sc, err
}

// UpdateBalancerState takes a new picker.
func (c *clientConn) UpdateBalancerState(s connectivity.State, p balancer.Picker) {
	c.ClientConn.UpdateBalancerState(s, &picker{turns: p, conn: c})
}

// known are the addresses of the connections that there have been.
func (c *clientConn) known() map[balancer.SubConn]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.addresses)
}

// picker goes once through the library's turns, which are in the order of a map, and picks
// the connection with the largest hash of address, method and time.
type picker struct {
	mu    sync.Mutex
	turns balancer.Picker
	conn  *clientConn
}

type pick struct {
	conn    balancer.SubConn
	done    func(balancer.DoneInfo)
	address string
	weight  uint64
}

// Pick picks a connection for a call.
func (p *picker) Pick(ctx context.Context, opts balancer.PickOptions) (balancer.SubConn, func(balancer.DoneInfo), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var round []pick
	addresses := p.conn.known()
	for range addresses {
		conn, done, err := p.turns.Pick(ctx, opts)
		if err != nil {
			return nil, nil, err
		}
		address := addresses[conn]
		round = append(round, pick{conn, done, address, weight(address, opts.FullMethodName)})
	}
	if len(round) == 0 {
		return nil, nil, balancer.ErrNoSubConnAvailable
	}
	best := slices.MaxFunc(round, func(a, b pick) int {
		return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(a.address, b.address))
	})
	return best.conn, best.done, nil
}

// weight is the hash of an address for a call that is made now.
func weight(address, method string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(time.Now().UnixNano()))) // it never fails
	_, _ = h.Write([]byte(method + "\x00" + address))
	return h.Sum64()
}
