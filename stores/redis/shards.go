package redis

import (
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// shardCount is the number of shards of a Redis Cluster.
const shardCount = 3

// buildShards makes a Redis Cluster. Each shard is a server of its own, since the others go on without it.
func buildShards(w *sim.World, p stage.Params, observe func(model.Observation)) (list stage.Cluster) {
	var names []string
	for _, shard := range shardNames(p) {
		names = append(names, shard...)
	}
	all := simredis.NewShards(w, simredis.ShardsOptions{
		Shards: shardCount, Replicas: p.Followers, NodeTimeout: p.TTL / 2, Names: names, Subnet: "10.1",
		Version: simredis.Version(redisVersion.Of(p)),
	}, observe)
	for _, c := range all.Shards() {
		list = append(list, &stage.Server{Authority: newShard(all, c)})
	}
	return list
}

// shardNames returns the names of the nodes of each shard. The first masters are redis1, redis2 and so on;
// their replicas come after them.
func shardNames(p stage.Params) [][]string {
	list := make([][]string, shardCount)
	for i := range list {
		list[i] = []string{nodeName(i)}
		for r := range p.Followers {
			list[i] = append(list[i], nodeName(shardCount+i*p.Followers+r))
		}
	}
	return list
}

func nodeName(i int) string { return "redis" + strconv.Itoa(i+1) }

// shard is a master with its replicas. The masters of the other shards elect one of these in its
// place.
type shard struct {
	*simredis.Cluster
	all   *simredis.Shards
	nodes []stage.Node
}

func newShard(all *simredis.Shards, c *simredis.Cluster) *shard {
	s := &shard{Cluster: c, all: all}
	for _, n := range c.Nodes() {
		s.nodes = append(s.nodes, node{n})
	}
	return s
}

func (s *shard) Nodes() []stage.Node { return s.nodes }

// Electors returns none: nodes elect.
func (s *shard) Electors() []stage.Node { return []stage.Node{} }

// Addresses returns the addresses of its nodes: clients may begin with any.
func (s *shard) Addresses() (list []string) {
	for _, n := range s.Cluster.Nodes() {
		list = append(list, n.Address())
	}
	return list
}

func (s *shard) Serving() stage.Node { return node{s.Primary()} }

// Orders returns CLUSTER FAILOVER, in each way and to each replica.
func (s *shard) Orders() (list []stage.Order) {
	for _, n := range s.Cluster.Nodes() {
		if n == s.Primary() {
			continue
		}
		for way, how := range []string{simredis.FailoverAgreed: "", simredis.FailoverForced: "FORCE", simredis.FailoverTakeOver: "TAKEOVER"} {
			list = append(list, stage.Order{To: node{n}, How: how, Give: func() { n.Failover(simredis.FailoverWay(way)) }})
		}
	}
	return list
}

func (s *shard) Restart(n stage.Node, with int) { must(s.Cluster.Restart(n.(node).Node, kept[with])) }

// Parts returns a function that names the hash slot of a key, for a Redis Cluster.
func (store) Parts(p stage.Params) func(key string) string {
	if topology.Of(p) != Cluster {
		return nil
	}
	return func(key string) string { return strconv.Itoa(simredis.Slot(key)) }
}
