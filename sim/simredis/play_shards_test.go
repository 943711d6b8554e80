package simredis

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// shardsPlayer is a world with a Redis Cluster and one process, as player is one with a primary and its replicas.
type shardsPlayer struct {
	t       tb
	world   *sim.World
	shards  *Shards
	process *sim.Process
	seen    []model.Observation
	report  sim.Report
}

// playShards runs a world with a Redis Cluster, and f as the only thread of a process.
func playShards(t tb, o ShardsOptions, tape sim.Tape, f func(*shardsPlayer)) *shardsPlayer {
	t.Helper()
	x := &shardsPlayer{t: t}
	x.report = sim.Run(sim.Config{Record: true, MaxEvents: 1 << 30, Tape: tape}, func(w *sim.World) {
		x.world = w
		x.shards = NewShards(w, o, func(o model.Observation) { x.seen = append(x.seen, o) })
		x.process = w.NewProcess("c1", sim.ProcessOptions{Host: "10.9.0.1"})
		x.process.Go(func() { f(x) })
	})
	switch {
	case x.report.Failure != nil:
		t.Fatalf("the run failed: %v\n%s", x.report.Failure, x.report.Failure.Stack)
	case x.report.Cut != "":
		t.Fatal(x.report.Cut)
	}
	return x
}

// node connects to a node, by its number from 0.
func (x *shardsPlayer) node(number int) *wire {
	x.t.Helper()
	address := x.shards.Addresses()[number]
	c, err := x.process.DialContext(context.Background(), "tcp", address, time.Minute)
	if err != nil {
		x.t.Errorf("dial %s: %v", address, err)
		panic(err)
	}
	return newWire(x.t, c)
}

// conduct has the conductor do something, at the present instant.
func (x *shardsPlayer) conduct(f func(nodes []*Node)) {
	done := make(chan struct{})
	x.process.Mark(0, "conduct", func(sim.Event) {
		f(x.shards.Nodes())
		close(done)
	})
	<-done
}

// pass lets time pass, and settle whatever is in flight arrive.
func (x *shardsPlayer) pass(d time.Duration) { x.process.Step("pass", d) }
func (x *shardsPlayer) settle()              { x.pass(10 * time.Millisecond) }

// clusterStep is a command to one of the nodes, on one of a few connections to it.
type clusterStep struct {
	node, conn int
	words      []string
}

func (s clusterStep) String() string {
	return fmt.Sprintf("node %d, conn %d> %q", s.node, s.conn, s.words)
}

// settled is a step that waits until the nodes know of each other what there is to know.
const settled = "(settled)"

// place is where a step is sent.
type place struct{ node, conn int }

// names translate between what nodes are called in steps and what they are called in a cluster.
type names struct{ ids, addresses []string }

// real puts the names of the cluster into words: ID1, HOST1, PORT1.
func (n names) real(words []string) (list []string) {
	for _, w := range words {
		for i, id := range n.ids {
			host, port, _ := strings.Cut(n.addresses[i], ":")
			switch w {
			case fmt.Sprintf("ID%d", i):
				w = id
			case fmt.Sprintf("HOST%d", i):
				w = host
			case fmt.Sprintf("PORT%d", i):
				w = port
			}
		}
		list = append(list, w)
	}
	return list
}

// neutral takes the names of the cluster out of a reply.
func (n names) neutral(reply string) string {
	for i, id := range n.ids {
		reply = strings.ReplaceAll(reply, id, fmt.Sprintf("ID%d", i))
		reply = strings.ReplaceAll(reply, n.addresses[i], fmt.Sprintf("ADDRESS%d", i))
	}
	return reply
}

// names are those of the cluster.
func (x *shardsPlayer) names() names {
	n := names{addresses: x.shards.Addresses()}
	for _, m := range x.shards.members {
		n.ids = append(n.ids, m.id)
	}
	return n
}

// replayCluster runs the steps and returns the replies.
func replayCluster(steps []clusterStep, n names, dial func(node int) *wire, settle func()) (replies []string) {
	wires := map[place]*wire{}
	for _, s := range steps {
		if s.words[0] == settled {
			settle()
			replies = append(replies, "")
			continue
		}
		at := place{s.node, s.conn}
		if wires[at] == nil {
			wires[at] = dial(s.node)
		}
		replies = append(replies, n.neutral(wires[at].answer(n.real(s.words))))
	}
	return replies
}

// simulatedCluster runs the steps on a new simulated cluster of three shards with a replica each.
func simulatedCluster(t tb, steps []clusterStep) (replies []string) {
	playShards(t, ShardsOptions{Replicas: 1}, nil, func(x *shardsPlayer) {
		replies = replayCluster(steps, x.names(), x.node, x.settle)
	})
	return replies
}
