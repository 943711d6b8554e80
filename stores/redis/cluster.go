package redis

import (
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// kept has the data of a restarted node for each index of [stage.Terms].Kept.
var kept = []simredis.Kept{simredis.KeptAll, simredis.KeptUntilSync, simredis.KeptNothing}

// Build makes independent servers, each a primary with its replicas.
func (store) Build(w *sim.World, p stage.Params, observe func(model.Observation)) stage.Cluster {
	if topology.Of(p) == Cluster {
		return buildShards(w, p, observe)
	}
	var list stage.Cluster
	for i := range p.ServerCount() {
		o := guarded(simredis.Options{Replicas: p.Followers, Names: nodeNames(p, i), Subnet: subnet(i), Sentinels: sentinels(p)}, p)
		c := simredis.New(w, o, observe)
		if o.Sentinels != nil {
			list = append(list, &stage.Server{Authority: newWatched(c)})
		} else {
			list = append(list, &stage.Server{Authority: newServer(c)})
		}
	}
	return list
}

// server is a primary with its replicas.
type server struct {
	*simredis.Cluster
	nodes []stage.Node
}

func newServer(c *simredis.Cluster) *server {
	s := &server{Cluster: c}
	for _, n := range c.Nodes() {
		s.nodes = append(s.nodes, node{n})
	}
	return s
}

func (s *server) Nodes() []stage.Node { return s.nodes }

func (s *server) Addresses() []string { return []string{s.Address()} }

func (s *server) Serving() stage.Node { return node{s.Primary()} }

func (s *server) Promote(n stage.Node) { must(s.Cluster.Promote(n.(node).Node)) }

func (s *server) Rejoin(n stage.Node) { must(s.Cluster.Rejoin(n.(node).Node)) }

func (s *server) Restart(n stage.Node, with int) {
	must(s.Cluster.Restart(n.(node).Node, kept[with]))
}

// node is a node of a server. It can hang, and its clock can jump.
type node struct{ *simredis.Node }

func (n node) Actor() *sim.Actor { return n.Node.Actor }

func (n node) Up() bool { return !n.Down() }

func (n node) Serves() bool { return n.IsPrimary() }

// must is for errors that only a mistake of this package can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Lanes returns the names of the nodes of each server.
func (store) Lanes(p stage.Params) [][]string {
	if topology.Of(p) == Cluster {
		return shardNames(p)
	}
	list := make([][]string, p.ServerCount())
	for i := range list {
		list[i] = nodeNames(p, i)
	}
	return list
}

// nodeNames returns the names of the i-th server's nodes, from 0. The first
// primaries are redis1, redis2 and so on; their replicas come after them.
func nodeNames(p stage.Params, i int) []string {
	list := []string{nodeName(i)}
	for r := range p.Followers {
		list = append(list, nodeName(p.ServerCount()+i*p.Followers+r))
	}
	return list
}

// subnet returns the subnet of the i-th server. It skips the second one, which is the
// resource's.
func subnet(i int) string {
	if i > 0 {
		i++
	}
	return "10.0." + strconv.Itoa(i+1)
}
