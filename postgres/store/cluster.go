package store

import (
	"github.com/lockpick-dev/lockpick/postgres/simpgbouncer"
	"github.com/lockpick-dev/lockpick/postgres/simpostgres"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// The capabilities of a server, its nodes and a pooler.
var (
	_ stage.Authority  = (*server)(nil)
	_ stage.Replicated = (*server)(nil)
	_ stage.Restarting = (*server)(nil)
	_ stage.Hanger     = node{}
	_ stage.Jumper     = node{}
	_ stage.Metered    = node{}
	_ stage.Syncing    = node{}
	_ stage.Committing = node{}

	_ stage.Deadlocking = node{}

	_ stage.Authority  = pooler{}
	_ stage.Restarting = pooler{}
	_ stage.Hanger     = bouncer{}
)

// server is a primary with its replicas.
type server struct {
	*simpostgres.Cluster
	nodes []stage.Node
}

func newServer(c *simpostgres.Cluster) *server {
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

func (s *server) Restart(n stage.Node, _ int) { must(s.Cluster.Restart(n.(node).Node)) }

// node is a node of a server. It can hang, its clock can jump, and it commits transactions.
type node struct{ *simpostgres.Node }

func (n node) Actor() *sim.Actor { return n.Node.Actor }

func (n node) Up() bool { return !n.Down() }

func (n node) Serves() bool { return n.IsPrimary() }

// pooler is a PgBouncer before the server. It comes back from a crash without its connections.
type pooler struct{ bouncer }

func (p pooler) Nodes() []stage.Node { return []stage.Node{p.bouncer} }

func (p pooler) Serving() stage.Node { return p.bouncer }

func (p pooler) Addresses() []string { return []string{p.Address()} }

func (p pooler) Restart(stage.Node, int) { p.Pooler.Restart() }

// bouncer is the only node of a pooler.
type bouncer struct{ *simpgbouncer.Pooler }

func (b bouncer) Actor() *sim.Actor { return b.Pooler.Actor }

func (b bouncer) Up() bool { return !b.Down() }

func (b bouncer) Serves() bool { return true }

// must is for errors that only a mistake of this package, or of a schema, can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
