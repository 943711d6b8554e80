package simredis

import (
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	_ "github.com/lockpick-dev/lockpick/sim/simredis/resp" // reports read what goes over the connections
)

// conn is a client's connection as the node sees it.
type conn struct {
	client
	node *Node
	life int // of the node when it accepted

	tx      *transaction     // between MULTI and EXEC
	watched map[string]int64 // by WATCH: keys and their versions
	written int64            // the offset after its last write
	waiting *waiter          // while a WAIT blocks it

	asking   bool // ASKING came before the next command
	readOnly bool // READONLY: it may read from a replica of a Redis Cluster
}

var _ sim.Handler = (*conn)(nil)

// job is a segment that waits for the node to be free, or the words of a command that was held back, or,
// with neither, the end of the client's stream. Without a connection it is a request of another node.
type job struct {
	conn  *conn
	data  []byte
	words []string
	task  *sim.Task
	do    func()
}

func newConn(n *Node, s *sim.ServerConn) *conn {
	return &conn{node: n, life: n.life, client: client{sock: s, out: newOutput()}}
}

// origin returns the origin of what the connection does now.
func (c *conn) origin() model.Origin {
	o := model.Origin{Client: c.sock.Client().Name(), Conn: c.sock.ID()}
	if c.task != nil {
		o.Op = c.task.ID
	}
	return o
}

// dead reports whether the connection is over for the node.
func (c *conn) dead() bool { return c.closed || c.life != c.node.life }

// Receive queues a segment: the node executes one command at a time.
func (c *conn) Receive(data []byte, t *sim.Task) {
	if len(data) > 0 {
		c.node.enqueue(job{conn: c, data: data, task: t})
	}
}

// Gone queues the end of the client's stream, behind the client's requests, which are
// still executed.
func (c *conn) Gone() {
	if !c.dead() {
		c.node.enqueue(job{conn: c})
	}
}

// Owes reports whether a WAIT is still to be answered. Requests before it in a pipeline
// have been answered.
func (c *conn) Owes() bool { return c.waiting != nil }

func (n *Node) enqueue(j job) {
	n.queue = append(n.queue, j)
	if !n.working {
		n.work()
	}
}

// work executes the segment at the head of the queue when the node is free, and then
// schedules the next one.
func (n *Node) work() {
	n.working = false
	if len(n.queue) == 0 || n.blocked() {
		return
	}
	if now := n.world.Now(); now >= n.busyUntil {
		j := n.queue[0]
		n.queue = n.queue[1:]
		n.busyUntil = now
		n.execute(j)
	}
	if len(n.queue) > 0 && !n.blocked() {
		n.working = true
		life := n.life
		n.world.At(n.Actor, n.busyUntil, sim.EventWork, sim.EventOptions{Vital: true}, func() {
			if n.life == life {
				n.world.Log(sim.Event{Kind: sim.EventWork, Actor: n.Name()})
				n.work()
			}
		})
	}
}

// execute runs the commands of one segment. They take effect now; the answers
// leave when the node has spent its time on them.
func (n *Node) execute(j job) {
	c := j.conn
	switch {
	case j.do != nil:
		j.do()
		n.broadcast()
		return
	case c.dead():
		return
	case j.data == nil && j.words == nil:
		n.hangUp(c)
		return
	case c.waiting != nil:
		c.waiting.held = append(c.waiting.held, j)
		return
	}
	c.take(j.data, j.task)
	n.expire()
	for words := j.words; c.waiting == nil && !n.blocked(); words = nil {
		if words == nil {
			words = c.next()
		}
		if words == nil {
			break
		}
		n.busyUntil += n.service(words[0])
		n.process(c, words)
	}
	n.broadcast()
	c.answer()
	if c.closed {
		n.leave(c)
		c.sock.Close()
	}
}

// blocked reports whether the node executes nothing because it waits for another node.
func (n *Node) blocked() bool { return n.member != nil && n.member.transfer != nil }

// Meter sets the function that returns how long each command of a client takes, by its name in upper
// case; a script is one command. It replaces [Options].Service.
func (n *Node) Meter(time func(command string) time.Duration) { n.meter = time }

// service returns how long a command takes.
func (n *Node) service(name string) time.Duration {
	if n.meter == nil {
		return n.cluster.options.Service
	}
	return n.meter(strings.ToUpper(name))
}

// hangUp is the end of a client's stream. A WAIT ends with its client, and the client's
// later commands are not executed.
func (n *Node) hangUp(c *conn) {
	n.leave(c)
	if c.waiting != nil {
		n.forget(c.waiting)
		c.closed = true
	}
}

// answer sends the output for the connection when the node has spent its time on it.
func (c *conn) answer() { c.client.answer(c.node.busyUntil) }
