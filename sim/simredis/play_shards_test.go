package simredis

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/sim"
)

// shardsPlayer is a scene with a Redis Cluster.
type shardsPlayer struct {
	scene
	shards *Shards
}

// playShards is [play] with a Redis Cluster.
func playShards(t tb, o ShardsOptions, tape sim.Tape, f func(*shardsPlayer)) *shardsPlayer {
	t.Helper()
	x := &shardsPlayer{scene: scene{t: t}}
	x.run(tape, "10.9.0.1", func(w *sim.World) func() []*Node {
		x.shards = NewShards(w, o, x.observe)
		return x.shards.Nodes
	}, func() { f(x) })
	return x
}

// node connects to a node, by its number from 0.
func (x *shardsPlayer) node(number int) *wire {
	x.t.Helper()
	return x.dial(x.shards.Addresses()[number])
}

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
