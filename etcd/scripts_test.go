package etcd

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockpick-dev/lockpick/sim"
)

// newClient makes a client.
type newClient func(*sim.Process, []string) (*clientv3.Client, error)

// script is a run in which a fixed course of faults meets a client that does one thing.
type script func(*scene)

// scene is what a script acts on: one client process, which knows of one server, the leader.
type scene struct {
	world   *sim.World
	faults  *sim.Actor
	cluster *cluster
	process *sim.Process
	client  *clientv3.Client
}

// run makes a run with a client.
func (f script) run(_ int, with newClient) sim.Report {
	return sim.Run(sim.Config{Horizon: time.Minute, MaxEvents: 20_000}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: time.Millisecond})
		c := &scene{world: w, faults: w.NewActor("faults"), cluster: newCluster(w, 3)}
		c.process, c.client = c.connect("c1", "10.0.0.1", with)
		f(c)
	})
}

// connect makes a client process with a client.
func (c *scene) connect(name, host string, with newClient) (*sim.Process, *clientv3.Client) {
	p := c.world.NewProcess(name, sim.ProcessOptions{Host: host, Threads: true})
	client, err := with(p, c.cluster.Addresses()[:1])
	must(err)
	c.world.OnEnd(func() { _ = client.Close() })
	return p, client
}

// at makes something happen.
func (c *scene) at(t time.Duration, f func()) {
	c.world.At(c.faults, t, sim.EventFault, sim.EventOptions{}, f)
}

// reset resets the connections of the client.
func (c *scene) reset() {
	for _, one := range c.world.Network().Conns(c.process.Actor) {
		one.Reset(nil)
	}
}

// mark puts a text into the log.
func (c *scene) mark(what ...any) {
	c.process.Mark(0, fmt.Sprint(what...), func(sim.Event) {})
}

// manyWatches: the connection of a client that watches several keys is reset.
func manyWatches(c *scene) {
	c.process.Go(func() {
		for i := range 6 {
			c.client.Watch(c.client.Ctx(), fmt.Sprint("/key/", i))
		}
		c.process.Clock().Sleep(time.Second)
	})
	c.at(500*time.Millisecond, c.reset)
}

// endedContexts: watches whose contexts have ended before.
func endedContexts(c *scene) {
	c.process.Go(func() {
		c.client.Watch(c.client.Ctx(), "/key") // there is a stream already
		for range 10 {
			c.process.Clock().Sleep(10 * time.Millisecond)
			ctx, cancel := context.WithCancel(c.client.Ctx())
			cancel()
			for range c.client.Watch(ctx, "/key") {
			}
		}
	})
}

// lastMessage: the stream of a watch ends after a message, in one pause of the client. Another
// client has put what is watched, and the leader has lost its followers.
func lastMessage(c *scene) {
	c.process.Go(func() {
		for answer := range c.client.Watch(clientv3.WithRequireLeader(c.client.Ctx()), "/key") {
			c.mark(len(answer.Events), " events, ", answer.Err())
		}
	})
	other, client := c.connect("c2", "10.0.0.2", New)
	other.Go(func() {
		other.Clock().Sleep(200 * time.Millisecond)
		_, err := client.Put(client.Ctx(), "/key", "")
		must(err)
	})
	c.at(100*time.Millisecond, func() { c.process.Pause(10 * time.Second) })
	const length = 8 * time.Second // longer than the stream does without a leader
	n := c.cluster.Nodes()
	alone := sim.Partition{A: []*sim.Actor{n[0].Actor}, B: []*sim.Actor{n[1].Actor, n[2].Actor}}
	c.at(time.Second, func() { c.world.Network().Part(alone, length) })
	c.at(time.Second+length, func() { c.world.Network().Unite(alone) })
}

// lostLeases: a client that keeps leases alive gets no answers any more.
func lostLeases(c *scene) {
	c.process.Go(func() {
		for range 4 {
			must(keepOne(c.client))
		}
		c.process.Clock().Sleep(20 * time.Second)
	})
	c.at(5*time.Second, func() { c.world.Network().Cut(c.cluster.Leader().Actor, c.process.Actor) })
}

// retry: a connection is reset while a call waits for its answer, and the client makes the
// call again after a while.
func retry(c *scene) {
	c.process.Go(func() {
		_, err := c.client.Get(c.client.Ctx(), "/key")
		c.mark(err)
		c.process.Clock().Sleep(100 * time.Millisecond)
		_, err = c.client.Get(c.client.Ctx(), "/key")
		c.mark(err)
	})
	c.at(108*time.Millisecond, c.reset)
}

// lastAnswer: the server closes a connection after the answer to a call, in one pause of the
// client. Who gets the answer makes another call.
func lastAnswer(c *scene) {
	c.process.Go(func() {
		for range 3 {
			_, err := c.client.Get(c.client.Ctx(), "/key")
			must(err)
		}
	})
	c.at(5*time.Millisecond, func() { c.process.Pause(time.Second) })
	c.at(500*time.Millisecond, func() { c.cluster.hangUp(c.cluster.Leader()) })
}
