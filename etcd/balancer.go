package etcd

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/balancer/roundrobin"
	"google.golang.org/grpc/resolver"
)

// balancerName is the name of the balancer of this package.
const balancerName = "lockpick_rendezvous"

func init() { balancer.Register(builder{balancer.Get(roundrobin.Name), balancerName, rendezvous}) }

// builder builds round_robin with another order of connections.
type builder struct {
	balancer.Builder
	name  string
	order order
}

// order returns the weights of addresses for a call of a method: the heaviest address
// gets the call.
type order func(method string) (weigh func(address string) uint64)

func (b builder) Name() string { return b.name }

func (b builder) Build(cc balancer.ClientConn, opts balancer.BuildOptions) balancer.Balancer {
	return b.Builder.Build(&clientConn{ClientConn: cc, order: b.order, addresses: map[balancer.SubConn]string{}}, opts)
}

// clientConn is the gRPC client as round_robin sees it. It replaces round_robin's
// pickers.
type clientConn struct {
	balancer.ClientConn
	order     order
	mu        sync.Mutex
	addresses map[balancer.SubConn]string
}

// NewSubConn notes the address of a connection.
func (c *clientConn) NewSubConn(addresses []resolver.Address, opts balancer.NewSubConnOptions) (balancer.SubConn, error) {
	sc, err := c.ClientConn.NewSubConn(addresses, opts) //nolint:staticcheck // a wrapper passes its arguments on
	if err == nil && len(addresses) > 0 {
		c.mu.Lock()
		c.addresses[sc] = addresses[0].Addr
		c.mu.Unlock()
	}
	return sc, err
}

// UpdateState takes a new picker.
func (c *clientConn) UpdateState(s balancer.State) {
	if s.Picker != nil {
		s.Picker = &picker{turns: s.Picker, conn: c}
	}
	c.ClientConn.UpdateState(s)
}

// address returns the address of a connection.
func (c *clientConn) address(sc balancer.SubConn) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.addresses[sc]
}

// connections returns the number of connections so far.
func (c *clientConn) connections() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.addresses)
}

// picker goes through one round of round_robin, which begins at a random connection, and picks
// the heaviest connection. With a hash as weight that is rendezvous hashing (Thaler and
// Ravishankar, 1998). Of errors it picks the first in the order of their texts.
type picker struct {
	mu    sync.Mutex
	turns balancer.Picker
	conn  *clientConn
}

// pick is one of the picks of a round.
type pick struct {
	result balancer.PickResult
	err    error
	weight uint64
	text   string // its address, or the error
}

// Pick picks a connection for a call.
func (p *picker) Pick(info balancer.PickInfo) (balancer.PickResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	weigh := p.conn.order(info.FullMethodName)
	var round []pick
	for range max(p.conn.connections(), 1) {
		result, err := p.turns.Pick(info)
		one := pick{result: result, err: err}
		if err == nil {
			one.text = p.conn.address(result.SubConn)
			one.weight = weigh(one.text)
		} else {
			one.text = err.Error()
		}
		round = append(round, one)
	}
	best := slices.MinFunc(round, func(a, b pick) int {
		if (a.err == nil) != (b.err == nil) {
			if a.err == nil {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.text, b.text))
	})
	return best.result, best.err
}

// rendezvous is an order by the hash of the address, the method and the time.
func rendezvous(method string) func(string) uint64 {
	now := time.Now()
	return func(address string) uint64 { return weight(address, method, now) }
}

// weight returns the hash of an address for a call.
func weight(address, method string, now time.Time) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(now.UnixNano()))) // it never fails
	_, _ = h.Write([]byte(method))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write([]byte(address))
	return h.Sum64()
}
