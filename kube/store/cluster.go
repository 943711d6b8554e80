package store

import (
	"github.com/lockpick-dev/lockpick/kube/simkube"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// The capabilities of a control plane and its servers.
var (
	_ stage.Authority  = (*cluster)(nil)
	_ stage.Replicated = (*cluster)(nil)
	_ stage.Restarting = (*cluster)(nil)
	_ stage.Hanger     = server{}
	_ stage.Jumper     = server{}
	_ stage.Metered    = server{}
	_ stage.Failing    = server{}
)

type cluster struct {
	*simkube.Cluster
	nodes []stage.Node
}

func newCluster(c *simkube.Cluster) *cluster {
	s := &cluster{Cluster: c}
	for _, n := range c.Nodes() {
		s.nodes = append(s.nodes, server{n})
	}
	return s
}

func (c *cluster) Nodes() []stage.Node { return c.nodes }

func (c *cluster) Serving() stage.Node { return server{c.Leader()} }

func (c *cluster) Promote(n stage.Node) { c.Cluster.Promote(n.(server).Node) }

func (c *cluster) Rejoin(n stage.Node) { n.(server).Restart() }

func (c *cluster) Restart(n stage.Node, _ int) { n.(server).Restart() }

// server is one of its API servers.
type server struct{ *simkube.Node }

func (s server) Actor() *sim.Actor { return s.Node.Actor }

func (s server) Up() bool { return !s.Down() }

func (s server) Serves() bool { return s.Leads() }
