package simredis

import (
	"bufio"
	"bytes"
	"strings"

	"github.com/alicebob/miniredis/v2/server"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// conn is a client's connection as the node sees it.
type conn struct {
	node *Node
	sock *sim.ServerConn
	in   []byte // received and not executed
	out  bytes.Buffer
	peer *server.Peer

	gone    bool
	task    *sim.Task // of the segment that is executed
	inTx    bool      // between MULTI and EXEC
	txKeys  []string  // touched by what was queued since MULTI
	channel int       // subscriptions, patterns included
}

// job is a segment that waits for the node to be free.
type job struct {
	conn *conn
	data []byte
	task *sim.Task
}

func newConn(n *Node, s *sim.ServerConn) *conn {
	c := &conn{node: n, sock: s}
	c.peer = server.NewPeer(bufio.NewWriterSize(&c.out, 256))
	n.conns[c] = true
	return c
}

// origin is who is to blame for what the connection does now.
func (c *conn) origin() model.Origin {
	o := model.Origin{Client: c.sock.Client().Name(), Conn: c.sock.ID()}
	if c.task != nil {
		o.Op = c.task.ID
	}
	return o
}

// Receive queues a segment: the node executes one command at a time.
func (c *conn) Receive(data []byte, t *sim.Task) {
	n := c.node
	n.queue = append(n.queue, job{c, data, t})
	if !n.working {
		n.work()
	}
}

// Gone ends the connection's subscriptions. What it sent before is executed
// all the same.
func (c *conn) Gone() {
	c.gone = true
	c.node.subs.dropAll(c)
	delete(c.node.conns, c)
}

// work executes the segment at the head of the queue when the node is free,
// and comes back for the next one when that is done.
func (n *Node) work() {
	n.working = false
	if len(n.queue) == 0 {
		return
	}
	if now := n.world.Now(); now >= n.busyUntil {
		j := n.queue[0]
		n.queue = n.queue[1:]
		n.busyUntil = now
		n.execute(j)
	}
	if len(n.queue) > 0 {
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
	c.task = j.task
	c.in = append(c.in, j.data...)
	n.expire()
	for !c.gone {
		args, rest, err := parseCommand(c.in)
		if err != nil {
			c.peer.WriteError(err.Error())
			c.peer.Flush()
			c.answer()
			c.sock.Close()
			return
		}
		if args == nil {
			break
		}
		c.in = rest
		if len(args) > 0 {
			n.busyUntil += n.cluster.options.Service
			n.command(c, args)
		}
	}
	c.answer()
	if c.peer.Closed() {
		c.sock.Close()
	}
}

// answer sends what the engine has written for the connection.
func (c *conn) answer() {
	if c.out.Len() == 0 {
		return
	}
	c.sock.Send(c.node.busyUntil, bytes.Clone(c.out.Bytes()), c.task)
	c.out.Reset()
}

// command executes one command and collects what it changed.
func (n *Node) command(c *conn, args []string) {
	m := n.start()
	m.SetTime(n.now())
	n.executing, n.nested, n.readOnly = c, false, false
	start := c.out.Len()
	m.Server().Dispatch(c.peer, args)
	c.peer.Flush()
	n.executing = nil
	if n.readOnly && bytes.HasPrefix(c.out.Bytes()[start:], []byte("-")) {
		// The engine wraps errors of scripts; clients look at the prefix.
		c.out.Truncate(start)
		c.out.WriteString("-" + errReadOnly + "\r\n")
	}
	n.collect(c.origin())
}

// intercept sees every command before the engine does, also those that a
// script calls. It answers true if the command is done.
func (n *Node) intercept(p *server.Peer, name string, args ...string) bool {
	c, top := n.executing, !n.nested
	n.nested = true // whatever comes before the next top-level command is a script's
	if !n.primary && n.writes(name) {
		n.readOnly = !top
		p.WriteError(errReadOnly)
		return true
	}
	if top && c.channel > 0 && !p.Resp3 && !allowedWhileSubscribed[name] {
		p.WriteError("ERR Can't execute '" + strings.ToLower(name) + "': only (P)SUBSCRIBE / (P)UNSUBSCRIBE / PING / QUIT are allowed in this context")
		return true
	}
	if f := commands[name]; f != nil {
		if done := f(n, c, p, args); done {
			return true
		}
	} else if reason := unsupported(n.engine, name); reason != "" {
		p.WriteError(reason)
		return true
	}
	n.touch(c, name, args)
	return false
}

// touch notes which keys the command may change: any of its arguments, if it
// is no read. What MULTI queues takes effect at EXEC.
func (n *Node) touch(c *conn, name string, args []string) {
	switch name {
	case "MULTI":
		c.inTx = true
	case "DISCARD":
		c.inTx, c.txKeys = false, nil
	case "EXEC":
		n.touched = append(n.touched, c.txKeys...)
		c.inTx, c.txKeys = false, nil
	case "EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "SCRIPT", "PING", "ECHO", "AUTH", "QUIT", "WATCH", "UNWATCH":
		// A script's commands come here one by one.
	case "FLUSHALL", "FLUSHDB":
		n.touched = append(n.touched, n.data.keys()...)
	default:
		if n.engine.Server().IsReadOnlyCommand(name) {
			return
		}
		list := &n.touched
		if c.inTx {
			list = &c.txKeys
		}
		for _, a := range args {
			if !contains(*list, a) {
				*list = append(*list, a)
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
