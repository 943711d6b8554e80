package etcd

import (
	"context"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"

	"github.com/lockpick-dev/lockpick/sim"
)

// newClient makes a client.
type newClient func(*sim.Process, []string) (*clientv3.Client, error)

// script is a run in which a fixed course of faults meets a client that does one thing.
type script func(*scene)

// scene is what a script acts on: one client process and one member.
type scene struct {
	world   *sim.World
	faults  *sim.Actor
	store   *store
	process *sim.Process
	client  *clientv3.Client
}

// run makes a run with a client.
func (f script) run(_ int, with newClient) sim.Report {
	return sim.Run(sim.Config{Horizon: time.Minute, MaxEvents: 20_000}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: time.Millisecond})
		c := &scene{world: w, faults: w.NewActor("faults"), store: newStore(w, 1)}
		c.process = w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1", Threads: true})
		var err error
		c.client, err = with(c.process, c.store.addresses())
		must(err)
		w.OnEnd(func() { _ = c.client.Close() })
		f(c)
	})
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

// lastMessage: the stream of a watch ends just after a message, in a pause.
func lastMessage(c *scene) {
	c.process.Go(func() {
		for answer := range c.client.Watch(c.client.Ctx(), "/key") {
			c.mark(len(answer.Events), " events, ", answer.Err())
		}
	})
	c.at(100*time.Millisecond, func() { c.process.Pause(time.Second) })
	c.at(200*time.Millisecond, func() {
		_, err := c.store.put(&pb.PutRequest{Key: []byte("/key")})
		must(err)
		for _, one := range c.store.watches {
			one.stream.End(int(codes.Unavailable), "etcdserver: no leader", nil)
		}
	})
}

// lostLeases: a client that keeps leases alive gets no answers any more.
func lostLeases(c *scene) {
	c.process.Go(func() {
		for range 4 {
			must(keepOne(c.client))
		}
		c.process.Clock().Sleep(20 * time.Second)
	})
	c.at(5*time.Second, func() { c.world.Network().Cut(c.store.members[0].actor, c.process.Actor) })
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
	c.at(105*time.Millisecond, c.reset)
}
