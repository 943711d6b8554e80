package scenarios

import (
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// stage is where a run takes place: whom faults can strike.
type stage struct {
	world   *sim.World
	params  Params
	servers servers
	clients []*sim.Process // those that are there by now, in order
}

// inject adds the injectors that the parameters have a budget for.
func (a *stage) inject() {
	w, p := a.world, a.params
	if p.Pauses > 0 {
		w.Inject(&pauses{stage: a, budget: p.Pauses, lengths: pauseLengths(p)})
	}
	if p.Failovers > 0 {
		w.Inject(&failovers{stage: a, actor: w.NewActor("failover"), budget: p.Failovers})
	}
	if p.Resets > 0 {
		w.Inject(&resets{stage: a, actor: w.NewActor("resets"), budget: p.Resets})
	}
	if p.Partitions > 0 {
		w.Inject(&partitions{stage: a, actor: w.NewActor("partitions"), budget: p.Partitions})
	}
	if p.Restarts > 0 {
		w.Inject(&restarts{stage: a, actor: w.NewActor("restarts"), kind: restartFault, budget: p.Restarts})
	}
	if p.CleanRestarts > 0 {
		w.Inject(&restarts{stage: a, actor: w.NewActor("clean-restarts"), kind: cleanRestartFault, budget: p.CleanRestarts})
	}
	if p.Crashes > 0 {
		w.Inject(&crashes{stage: a, budget: p.Crashes})
	}
	if p.ClockJumps > 0 {
		w.Inject(&clockJumps{stage: a, budget: p.ClockJumps, by: jumpsBy(p)})
	}
	if p.ServerClockJumps > 0 {
		w.Inject(&serverClockJumps{stage: a, budget: p.ServerClockJumps, by: jumpsBy(p)})
	}
	if p.LostReplies > 0 {
		w.Inject(&lostReplies{stage: a, budget: p.LostReplies})
	}
	if p.Hangs > 0 {
		w.Inject(&hangs{stage: a, budget: p.Hangs, lengths: hangLengths(p)})
	}
}

// client is the client process that is the actor, or nil.
func (a *stage) client(actor *sim.Actor) *sim.Process {
	for _, c := range a.clients {
		if c.Actor == actor {
			return c
		}
	}
	return nil
}

// alive is the client process that an event is about to happen to, if it is one
// that is neither paused nor crashed; or nil.
func (a *stage) alive(e sim.Upcoming) *sim.Process {
	if p := a.client(e.Actor); p != nil && !p.Paused() && e.Kind != sim.EventFault {
		return p
	}
	return nil
}

// node is the Redis node that is the actor, or nil.
func (a *stage) node(actor *sim.Actor) *simredis.Node {
	for _, s := range a.servers {
		for _, n := range s.Nodes() {
			if n.Actor == actor {
				return n
			}
		}
	}
	return nil
}

func (a *stage) isNode(actor *sim.Actor) bool { return a.node(actor) != nil }

// up is the node that an event is about to happen to, if it is one that is up;
// or nil.
func (a *stage) up(e sim.Upcoming) *simredis.Node {
	if n := a.node(e.Actor); n != nil && !n.Down() && e.Kind != sim.EventFault {
		return n
	}
	return nil
}

// later lets something happen to the world after a while, as an event of the
// injector's.
func (a *stage) later(injector *sim.Actor, d time.Duration, what sim.FaultKind, f func()) {
	a.world.At(injector, a.world.Now()+d, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		a.world.Fault(injector, what, 0)
		f()
	})
}

// outage is how long it takes to promote another node, or to start one.
func outage(p Params) time.Duration { return p.TTL / 40 }

// servers are the independent Redis servers of a run.
type servers []*server

// server is a primary with its replicas.
type server struct {
	*simredis.Cluster
	// busy is set while a fault goes on that changes who is up or who is
	// primary. No other such fault strikes the server meanwhile.
	busy bool
}

func newServers(w *sim.World, p Params, observe func(model.Observation)) servers {
	var list servers
	for i := range p.nodes() {
		o := simredis.Options{Replicas: p.Replicas, Names: nodeNames(p, i), Subnet: subnet(i)}
		list = append(list, &server{Cluster: simredis.New(w, o, observe)})
	}
	return list
}

// addresses are the stable addresses of the primaries.
func (s servers) addresses() []string {
	list := make([]string, len(s))
	for i, each := range s {
		list[i] = each.Address()
	}
	return list
}

// idle are the servers that are not busy.
func (s servers) idle() int {
	n := 0
	for _, each := range s {
		if !each.busy {
			n++
		}
	}
	return n
}

// idleAt is one of those, by its place among them.
func (s servers) idleAt(place int) *server {
	for _, each := range s {
		if each.busy {
			continue
		}
		if place == 0 {
			return each
		}
		place--
	}
	return nil
}

// successors are the replicas that could be promoted now.
func (s *server) successors() []*simredis.Node {
	var list []*simredis.Node
	for _, n := range s.Nodes() {
		if n != s.Primary() && !n.Down() {
			list = append(list, n)
		}
	}
	return list
}

// servers are the names of the nodes of each server.
func (p Params) servers() [][]string {
	list := make([][]string, p.nodes())
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
		list = append(list, nodeName(p.nodes()+i*p.Replicas+r))
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
