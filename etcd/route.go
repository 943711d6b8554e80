package etcd

import (
	"encoding/json"
	"os"
	"path"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/balancer/roundrobin"

	"github.com/lockpick-dev/lockpick/internal/realclient"
)

// routeName is the name of the balancer that follows a route.
const routeName = "lockpick_route"

// routed returns the options of a client that follows the route in the environment, none without
// a route.
func routed(endpoints []string) []grpc.DialOption {
	r := &router{endpoints: endpoints, made: map[string]int{}}
	if json.Unmarshal([]byte(os.Getenv(realclient.RouteVariable)), &r.route) != nil || len(r.route) == 0 {
		return nil
	}
	balancer.Register(builder{balancer.Get(roundrobin.Name), routeName, r.order})
	return []grpc.DialOption{
		grpc.WithDisableServiceConfig(), // it names the library's own round_robin
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"` + routeName + `":{}}]}`),
	}
}

// router orders endpoints by a route.
type router struct {
	endpoints []string
	route     map[string][]int

	mu   sync.Mutex
	made map[string]int // calls, by method
}

// order prefers the endpoint of the route, and then those after it.
func (r *router) order(method string) func(string) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	method = path.Base(method)
	n := r.made[method]
	r.made[method]++
	first := n
	if way := r.route[method]; n < len(way) {
		first = way[n]
	}
	return func(address string) uint64 {
		after := slices.Index(r.endpoints, address) - first
		return uint64(len(r.endpoints) - (after%len(r.endpoints)+len(r.endpoints))%len(r.endpoints))
	}
}
