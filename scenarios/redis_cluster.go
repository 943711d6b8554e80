package scenarios

import (
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// redisTerms are what Redis calls things.
var redisTerms = stage.Terms{
	Store: "Redis", Node: "Redis node", Serving: "primary", Follower: "replica",
	Kept: []string{"with all of its data", "without what it wrote in the last second", "empty"},
}

// redisKept is what a node has that comes back as redisTerms.Kept say.
var redisKept = []simredis.Kept{simredis.KeptAll, simredis.KeptUntilSync, simredis.KeptNothing}

// redisCluster builds the independent Redis servers of a run, each a primary with
// its replicas.
func redisCluster(w *sim.World, p Params, observe func(model.Observation)) stage.Cluster {
	var list stage.Cluster
	for i := range p.ServerCount() {
		o := simredis.Options{Replicas: p.Replicas, Names: nodeNames(p, i), Subnet: subnet(i)}
		list = append(list, &stage.Server{Authority: newRedisServer(simredis.New(w, o, observe))})
	}
	return list
}

// redisServer is a primary with its replicas.
type redisServer struct {
	*simredis.Cluster
	nodes []stage.Node
}

func newRedisServer(c *simredis.Cluster) *redisServer {
	s := &redisServer{Cluster: c}
	for _, n := range c.Nodes() {
		s.nodes = append(s.nodes, redisNode{n})
	}
	return s
}

func (s *redisServer) Nodes() []stage.Node { return s.nodes }

func (s *redisServer) Serving() stage.Node { return redisNode{s.Primary()} }

// Successors are the replicas that could be promoted now.
func (s *redisServer) Successors() []stage.Node {
	var list []stage.Node
	for _, n := range s.Cluster.Nodes() {
		if n != s.Primary() && !n.Down() {
			list = append(list, redisNode{n})
		}
	}
	return list
}

func (s *redisServer) Promote(n stage.Node) { must(s.Cluster.Promote(n.(redisNode).Node)) }

func (s *redisServer) Rejoin(n stage.Node) { must(s.Cluster.Rejoin(n.(redisNode).Node)) }

func (s *redisServer) Restart(n stage.Node, kept int) {
	must(s.Cluster.Restart(n.(redisNode).Node, redisKept[kept]))
}

// redisNode is one of its nodes, which can hang, and whose clock can jump.
type redisNode struct{ *simredis.Node }

func (n redisNode) Actor() *sim.Actor { return n.Node.Actor }

func (n redisNode) Up() bool { return !n.Down() }

func (n redisNode) Serves() bool { return n.IsPrimary() }

// must is for errors that only a mistake of this package can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// serverNames are the names of the nodes of each server.
func serverNames(p Params) [][]string {
	list := make([][]string, p.ServerCount())
	for i := range list {
		list[i] = nodeNames(p, i)
	}
	return list
}

// nodeNames are the names of the i-th server's nodes, from 0. The first
// primaries are redis1, redis2 and so on; their replicas come after them.
func nodeNames(p Params, i int) []string {
	list := []string{nodeName(i)}
	for r := range p.Replicas {
		list = append(list, nodeName(p.ServerCount()+i*p.Replicas+r))
	}
	return list
}

func nodeName(i int) string { return "redis" + strconv.Itoa(i+1) }

// subnet is where the i-th server is. The second is the resource's.
func subnet(i int) string {
	if i > 0 {
		i++
	}
	return "10.0." + strconv.Itoa(i+1)
}
