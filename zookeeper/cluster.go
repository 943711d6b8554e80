package zookeeper

import (
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/zookeeper/simzk"
)

// The capabilities of an ensemble and its servers.
var (
	_ stage.Authority  = (*ensemble)(nil)
	_ stage.Replicated = (*ensemble)(nil)
	_ stage.Restarting = (*ensemble)(nil)
	_ stage.Hanger     = server{}
	_ stage.Jumper     = server{}
	_ stage.Metered    = server{}
)

type ensemble struct {
	*simzk.Ensemble
	nodes []stage.Node
}

func newEnsemble(e *simzk.Ensemble) *ensemble {
	s := &ensemble{Ensemble: e}
	for _, n := range e.Nodes() {
		s.nodes = append(s.nodes, server{n})
	}
	return s
}

func (e *ensemble) Nodes() []stage.Node { return e.nodes }

func (e *ensemble) Serving() stage.Node { return server{e.Leader()} }

func (e *ensemble) Promote(n stage.Node) { e.Ensemble.Promote(n.(server).Node) }

func (e *ensemble) Rejoin(n stage.Node) { n.(server).Restart() }

func (e *ensemble) Restart(n stage.Node, _ int) { n.(server).Restart() }

// server is one of its servers.
type server struct{ *simzk.Node }

func (s server) Actor() *sim.Actor { return s.Node.Actor }

func (s server) Up() bool { return !s.Down() }

func (s server) Serves() bool { return s.Leads() }
