package simredis

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"github.com/lockpick-dev/lockpick/sim"
)

// version is the Redis that the nodes answer as.
const version = "7.2.4"

const errReadOnly = "READONLY You can't write against a read only replica."

// commands are answered here rather than by the engine, which lacks them or
// answers them as another Redis would. A handler that answers false leaves the
// command to the engine.
var commands map[string]func(n *Node, c *conn, p *server.Peer, args []string) bool

func init() {
	commands = map[string]func(*Node, *conn, *server.Peer, []string) bool{
		"HELLO":        (*Node).hello,
		"CLIENT":       (*Node).client,
		"INFO":         (*Node).info,
		"ROLE":         (*Node).role,
		"PING":         (*Node).ping,
		"TTL":          (*Node).ttl,
		"SELECT":       (*Node).selectDB,
		"SUBSCRIBE":    (*Node).subscribe,
		"UNSUBSCRIBE":  (*Node).unsubscribe,
		"PSUBSCRIBE":   (*Node).psubscribe,
		"PUNSUBSCRIBE": (*Node).punsubscribe,
		"PUBLISH":      (*Node).publish,
	}
}

// noWrites are the commands that are no reads to the engine and still change
// no key. Scripts are judged by the commands that they call.
var noWrites = set("HELLO CLIENT INFO ROLE PING ECHO AUTH QUIT SELECT MULTI EXEC DISCARD WATCH UNWATCH " +
	"EVAL EVALSHA EVAL_RO EVALSHA_RO SCRIPT SUBSCRIBE UNSUBSCRIBE PSUBSCRIBE PUNSUBSCRIBE PUBLISH PUBSUB " +
	"COMMAND TIME MEMORY OBJECT")

var allowedWhileSubscribed = set("SUBSCRIBE UNSUBSCRIBE PSUBSCRIBE PUNSUBSCRIBE PING QUIT")

// notSimulated are commands that the engine knows and that would go wrong
// here: what blocks, what is not replicated, what is about other databases.
var notSimulated = set("BLPOP BRPOP BRPOPLPUSH BLMOVE BLMPOP BZPOPMIN BZPOPMAX BZMPOP WAIT " +
	"XADD XGROUP XINFO XREAD XREADGROUP XACK XDEL XTRIM XAUTOCLAIM XCLAIM XLEN XRANGE XREVRANGE XPENDING " +
	"PFADD PFCOUNT PFMERGE HEXPIRE HPEXPIRE HPERSIST HSETEX HTTL HPTTL SWAPDB MOVE CLUSTER DUMP RESTORE PUBSUB")

func set(names string) map[string]bool {
	s := map[string]bool{}
	for _, n := range strings.Fields(names) {
		s[n] = true
	}
	return s
}

func (n *Node) writes(name string) bool {
	s := n.engine.Server()
	return !noWrites[name] && s.IsRegisteredCommand(name) && !s.IsReadOnlyCommand(name)
}

// unsupported says why a command cannot be had, or nothing.
func unsupported(m *miniredis.Miniredis, name string) string {
	if notSimulated[name] || !m.Server().IsRegisteredCommand(name) {
		return fmt.Sprintf("ERR the simulated Redis does not support '%s' (package simredis lists what it does)", name)
	}
	return ""
}

func (n *Node) roleName() string {
	if n.primary {
		return "master"
	}
	return "slave"
}

func (n *Node) hello(c *conn, p *server.Peer, args []string) bool {
	if len(args) > 0 {
		switch args[0] {
		case "2":
			p.Resp3 = false
		case "3":
			p.Resp3 = true
		default:
			p.WriteError("NOPROTO unsupported protocol version")
			return true
		}
	}
	p.Block(func(w *server.Writer) {
		w.WriteMapLen(7)
		for _, field := range []struct{ name, value string }{{"server", "redis"}, {"version", version}} {
			w.WriteBulk(field.name)
			w.WriteBulk(field.value)
		}
		w.WriteBulk("proto")
		w.WriteInt(map[bool]int{false: 2, true: 3}[p.Resp3])
		w.WriteBulk("id")
		w.WriteInt(c.sock.ID())
		for _, field := range []struct{ name, value string }{{"mode", "standalone"}, {"role", strings.Replace(n.roleName(), "slave", "replica", 1)}} {
			w.WriteBulk(field.name)
			w.WriteBulk(field.value)
		}
		w.WriteBulk("modules")
		w.WriteLen(0)
	})
	return true
}

func (n *Node) client(c *conn, p *server.Peer, args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch strings.ToUpper(args[0]) {
	case "SETINFO":
		p.WriteOK()
	case "ID":
		p.WriteInt(c.sock.ID())
	case "SETNAME", "GETNAME":
		return false
	default:
		p.WriteError("ERR unknown subcommand '" + args[0] + "'. Try CLIENT HELP.")
	}
	return true
}

func (n *Node) selectDB(_ *conn, p *server.Peer, args []string) bool {
	if len(args) == 1 && args[0] != "0" {
		p.WriteError("ERR the simulated Redis has database 0 only")
		return true
	}
	return false
}

// ttl answers as Redis does, which rounds where the engine truncates.
func (n *Node) ttl(c *conn, p *server.Peer, args []string) bool {
	if len(args) != 1 || c.inTx {
		return false
	}
	// Inside a script the keyspace may be behind the engine.
	e := n.data[args[0]]
	if e == nil || e.hidden || e.expires.IsZero() || contains(n.touched, args[0]) {
		return false
	}
	p.WriteInt(int((e.expires.Sub(n.now()) + 500*time.Millisecond) / time.Second))
	return true
}

func (n *Node) info(_ *conn, p *server.Peer, args []string) bool {
	var b strings.Builder
	section := "default"
	if len(args) > 0 {
		section = strings.ToLower(args[0])
	}
	if section == "default" || section == "server" || section == "all" {
		fmt.Fprintf(&b, "# Server\r\nredis_version:%s\r\nredis_mode:standalone\r\n", version)
	}
	if section == "default" || section == "replication" || section == "all" {
		n.replicationInfo(&b)
	}
	p.WriteBulk(b.String())
	return true
}

func (n *Node) replicationInfo(b *strings.Builder) {
	fmt.Fprintf(b, "# Replication\r\nrole:%s\r\n", n.roleName())
	if n.source != nil {
		host, port, _ := strings.Cut(n.source.address, ":")
		fmt.Fprintf(b, "master_host:%s\r\nmaster_port:%s\r\nmaster_link_status:%s\r\nslave_repl_offset:%d\r\nslave_read_only:1\r\n",
			host, port, map[bool]string{false: "up", true: "down"}[n.source.down], n.offset)
	}
	fmt.Fprintf(b, "connected_slaves:%d\r\n", len(n.replicas))
	for i, l := range n.replicas {
		host, port, _ := strings.Cut(l.replica.address, ":")
		fmt.Fprintf(b, "slave%d:ip=%s,port=%s,state=online,offset=%d,lag=%d\r\n", i, host, port, l.replica.offset, l.replica.Lag())
	}
	fmt.Fprintf(b, "master_repl_offset:%d\r\n", n.offset)
}

func (n *Node) role(_ *conn, p *server.Peer, _ []string) bool {
	p.Block(func(w *server.Writer) {
		if n.source != nil {
			host, port, _ := strings.Cut(n.source.address, ":")
			number, _ := strconv.Atoi(port) // made by Cluster.address
			w.WriteLen(5)
			w.WriteBulk("slave")
			w.WriteBulk(host)
			w.WriteInt(number)
			w.WriteBulk(map[bool]string{false: "connected", true: "connect"}[n.source.down])
			w.WriteInt(int(n.offset))
			return
		}
		w.WriteLen(3)
		w.WriteBulk("master")
		w.WriteInt(int(n.offset))
		w.WriteLen(len(n.replicas))
		for _, l := range n.replicas {
			host, port, _ := strings.Cut(l.replica.address, ":")
			w.WriteStrings([]string{host, port, strconv.FormatInt(l.replica.offset, 10)})
		}
	})
	return true
}

func (n *Node) ping(c *conn, p *server.Peer, args []string) bool {
	if c.channel == 0 || p.Resp3 || c.inTx {
		return false
	}
	p.WriteStrings([]string{"pong", strings.Join(args, " ")})
	return true
}

var _ sim.Handler = (*conn)(nil)
