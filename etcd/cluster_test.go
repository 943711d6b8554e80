package etcd

import (
	"time"

	"github.com/lockpick-dev/lockpick/etcd/store/simetcd"
	"github.com/lockpick-dev/lockpick/etcd/store/simh2"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// cluster is an etcd cluster, whose servers can ask clients to leave.
type cluster struct {
	*simetcd.Cluster
	world *sim.World
	conns map[simetcd.Server][]*simh2.Conn
}

// newCluster adds a cluster to a world.
func newCluster(w *sim.World, members int) *cluster {
	c := &cluster{world: w, conns: map[simetcd.Server][]*simh2.Conn{}}
	take := func(conn *sim.ServerConn, server simetcd.Server) sim.Handler {
		handler := simetcd.HTTP2(conn, server)
		c.conns[server] = append(c.conns[server], handler.(*simh2.Conn))
		return handler
	}
	c.Cluster = simetcd.New(w, simetcd.Options{Members: members, Transport: take}, func(model.Observation) {})
	return c
}

// goAway lets a server ask a client to leave, as one does that is about to stop.
func (c *cluster) goAway(n *simetcd.Node, p *sim.Process) {
	c.world.Fault(n.Actor, "away", 0)
	for _, conn := range c.conns[n] {
		if conn.Client() == p {
			conn.GoAway("the server stops")
		}
	}
}

// hangUp lets a server close its connections.
func (c *cluster) hangUp(n *simetcd.Node) {
	for _, conn := range c.conns[n] {
		conn.Close()
	}
}

// crash crashes a server, which comes back after a while.
func (c *cluster) crash(n *simetcd.Node, d time.Duration) {
	n.Crash()
	c.world.At(n.Actor, c.world.Now()+d, sim.EventFault, sim.EventOptions{Vital: true}, n.Restart)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
