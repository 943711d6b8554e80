package redis

import (
	"fmt"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// Topology is a deployment of the servers: a value of the parameter topology.
type Topology = int

const (
	// Replicas are independent servers, each a primary with its replicas behind one stable address,
	// which leads to the current primary.
	Replicas Topology = iota
	// Sentinel is one primary with its replicas, which three sentinels watch. Clients ask a sentinel
	// for the primary. A server is down for a sentinel after a quarter of a lease, and Sentinel's
	// second is half a lease: with leases of two seconds its times are the real ones.
	Sentinel
	// Cluster is a Redis Cluster of three shards, each a master with its replicas. Clients may begin with
	// any node, and are redirected to the master of the key's slot. A node has failed after half a lease
	// (cluster-node-timeout).
	Cluster
)

var topology = stage.Setting{
	Name: stage.Topology, Max: Cluster, Names: []string{"replicas", "sentinel", "cluster"},
	About: "how the servers are deployed: behind one stable address, watched by sentinels that clients ask, or as a Redis Cluster",
	Rare:  true, Fixed: true,
	Needs: func(p stage.Params) string {
		if p.Followers == 0 {
			return "needs a {follower} that can take the {serving}'s place: set {follower}s"
		}
		return ""
	},
	// Without a replica sentinels have no node to promote.
	Implies: func(p *stage.Params) { p.Followers = max(p.Followers, 1) },
}

// aloneNeeds returns the reason why there cannot be several independent servers.
func aloneNeeds(p stage.Params) string {
	if p.Servers > 1 && topology.Of(p) != Replicas {
		return "needs topology=replicas: sentinels watch one server, and a Redis Cluster is one"
	}
	return ""
}

// sentinels returns the sentinels of the topology, nil if it has none.
func sentinels(p stage.Params) *simredis.Sentinels {
	if topology.Of(p) != Sentinel {
		return nil
	}
	second := p.TTL / 2
	return &simredis.Sentinels{
		Count: sentinelCount, Second: second, DownAfter: second / 2 * time.Duration(max(1, downAfter.Of(p))), FailoverTimeout: 5 * second,
	}
}

// watched is a server whose primary is chosen by sentinels.
type watched struct {
	*simredis.Cluster
	nodes, electors []stage.Node
}

func newWatched(c *simredis.Cluster) *watched {
	s := &watched{Cluster: c}
	for _, n := range c.Nodes() {
		s.nodes = append(s.nodes, node{n})
	}
	for _, x := range c.Sentinels() {
		s.electors = append(s.electors, elector{x})
	}
	return s
}

func (s *watched) Nodes() []stage.Node { return s.nodes }

func (s *watched) Electors() []stage.Node { return s.electors }

// Addresses returns the addresses of the sentinels.
func (s *watched) Addresses() (list []string) {
	for _, x := range s.Sentinels() {
		list = append(list, x.Address())
	}
	return list
}

func (s *watched) Serving() stage.Node { return node{s.Primary()} }

// Orders returns SENTINEL FAILOVER, to each sentinel.
func (s *watched) Orders() (list []stage.Order) {
	for _, x := range s.Sentinels() {
		list = append(list, stage.Order{To: elector{x}, Give: func() { x.Failover() }})
	}
	return list
}

func (s *watched) Restart(n stage.Node, with int) { must(s.Cluster.Restart(n.(node).Node, kept[with])) }

// elector is a sentinel, which can hang.
type elector struct{ *simredis.Sentinel }

func (e elector) Actor() *sim.Actor { return e.Host.Actor }

func (e elector) Up() bool { return !e.Sentinel.Down() }

// Serves returns false: a sentinel has no keys.
func (e elector) Serves() bool { return false }

func (e elector) Hang(d time.Duration) bool { return e.Sentinel.Hang(d) }

// ElectorLanes returns the names of the sentinels.
func (store) ElectorLanes(p stage.Params) (list []string) {
	if topology.Of(p) == Sentinel {
		for i := range sentinelCount {
			list = append(list, "sentinel"+strconv.Itoa(i+1))
		}
	}
	return list
}

// Elector returns "sentinel".
func (store) Elector() string { return "sentinel" }

// sentinelCount is the number of sentinels.
const sentinelCount = 3

// Describe describes the timers of sentinels and of nodes.
func (store) Describe(t *stage.Choice) string {
	if !simredis.IsTimer(t.Kind) {
		return ""
	}
	return fmt.Sprintf("%s acts later than it might: after %d of %d parts of the longest delay of its timer", t.Actor, t.Option, t.Options)
}
