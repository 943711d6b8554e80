package experiments

import (
	"context"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/realetcd"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/mysql/realmysql"
	"github.com/lockpick-dev/lockpick/zookeeper/realzk"
)

// counts are the numbers of requests by node and name.
type counts = map[string]map[string]int

// startServers starts the servers that a plan needs. Stop ends them.
func startServers(ctx context.Context, p lab.Plan) (lab.Servers, func(), error) {
	var nodes []string // the serving nodes
	for _, lane := range p.Store.Lanes(p.Params) {
		nodes = append(nodes, lane[0])
	}
	switch id := p.Store.ID(); id {
	case "redis":
		return startRedis(p, nodes)
	case "zookeeper":
		return startZooKeeper(p, nodes[0])
	case "etcd":
		return startEtcd(p, nodes[0])
	case "mysql":
		return startMariaDB(ctx, p, nodes[0])
	default:
		return lab.Servers{}, nil, fmt.Errorf("there are no real servers of the store %s", id)
	}
}

// startRedis starts independent servers, each with its replicas.
func startRedis(p lab.Plan, nodes []string) (_ lab.Servers, _ func(), err error) {
	var stops []func()
	stop := func() {
		for _, f := range stops {
			f()
		}
	}
	defer func() {
		if err != nil {
			stop()
		}
	}()
	start := func(args ...string) (*realredis.Server, error) {
		s, end, err := realredis.Launch(args...)
		if err == nil {
			stops = append(stops, end)
		}
		return s, err
	}
	requests := new(realredis.Requests)
	on := lab.Servers{Dial: requests.Dial}
	for range nodes {
		s, err := start()
		if err != nil {
			return lab.Servers{}, nil, err
		}
		on.Addresses = append(on.Addresses, s.Addr)
		for range p.Params.Followers {
			if _, err := start("--replicaof", "127.0.0.1", s.Port); err != nil {
				return lab.Servers{}, nil, err
			}
		}
		if err := s.Replicates(p.Params.Followers); err != nil {
			return lab.Servers{}, nil, err
		}
	}
	on.Requests = func(context.Context) (counts, error) {
		served := counts{}
		for i, node := range nodes {
			served[node] = requests.At(on.Addresses[i])
		}
		return served, nil
	}
	return on, stop, nil
}

// startZooKeeper starts a server with the tick of the simulation, in whole milliseconds.
func startZooKeeper(p lab.Plan, node string) (lab.Servers, func(), error) {
	s, stop, err := realzk.Launch(max(p.Params.LeaseAsked()/10, time.Millisecond))
	if err != nil {
		return lab.Servers{}, nil, err
	}
	return lab.Servers{Addresses: []string{s.Addr}, Requests: func(context.Context) (counts, error) {
		n, err := s.Served()
		return counts{node: {"packet": n}}, err
	}}, stop, nil
}

// startEtcd starts a server with the election time-out of the simulation, if the server accepts it.
func startEtcd(p lab.Plan, node string) (lab.Servers, func(), error) {
	const least, most = 50 * time.Millisecond, 50 * time.Second
	s, stop, err := realetcd.Launch(min(max(p.Params.LeaseAsked()/10, least), most))
	if err != nil {
		return lab.Servers{}, nil, err
	}
	return lab.Servers{Addresses: []string{s.Addr}, Requests: func(context.Context) (counts, error) {
		served, err := s.Served()
		return counts{node: served}, err
	}}, stop, nil
}

// startMariaDB starts a server with the tables of the store.
func startMariaDB(ctx context.Context, p lab.Plan, node string) (lab.Servers, func(), error) {
	s, stop, err := realmysql.Launch("--max-connections=2000")
	if err != nil {
		return lab.Servers{}, nil, err
	}
	if made, ok := p.Store.(interface{ Schema() []string }); ok {
		err = s.Load(ctx, made.Schema()...)
	}
	var before map[string]int
	if err == nil {
		before, err = s.Served(ctx)
	}
	if err != nil {
		stop()
		return lab.Servers{}, nil, err
	}
	return lab.Servers{Addresses: []string{s.Addr}, Requests: func(ctx context.Context) (counts, error) {
		served, err := s.Served(ctx)
		for name, n := range before { // unordered: each changes another count
			if served[name] -= n; served[name] == 0 {
				delete(served, name)
			}
		}
		return counts{node: served}, err
	}}, stop, nil
}
