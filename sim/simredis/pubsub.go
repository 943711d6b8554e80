package simredis

import (
	"slices"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
)

// Pub/sub is the nodes' own: the engine's runs in goroutines, so that the
// order of messages on a connection would be the scheduler's. A node delivers
// to its own subscribers only; messages are not replicated.

// subscription is one connection's interest in a channel or a pattern.
type subscription struct {
	conn    *conn
	name    string
	pattern bool
}

// subscriptions are kept in the order in which they were made.
type subscriptions []subscription

func (s *subscriptions) dropAll(c *conn) {
	*s = slices.DeleteFunc(*s, func(o subscription) bool { return o.conn == c })
}

func (n *Node) subscribe(c *conn, p *server.Peer, args []string) bool {
	return n.subscribeTo(c, p, args, false)
}

func (n *Node) psubscribe(c *conn, p *server.Peer, args []string) bool {
	return n.subscribeTo(c, p, args, true)
}

func (n *Node) unsubscribe(c *conn, p *server.Peer, args []string) bool {
	return n.unsubscribeFrom(c, p, args, false)
}

func (n *Node) punsubscribe(c *conn, p *server.Peer, args []string) bool {
	return n.unsubscribeFrom(c, p, args, true)
}

func (n *Node) subscribeTo(c *conn, p *server.Peer, names []string, pattern bool) bool {
	if len(names) == 0 || c.inTx {
		return false // the engine knows the error
	}
	// go-redis resubscribes in the order of a map. The order matters to
	// nobody but determinism.
	names = slices.Sorted(slices.Values(names))
	for _, name := range names {
		s := subscription{c, name, pattern}
		if !slices.Contains(n.subs, s) {
			n.subs = append(n.subs, s)
			c.channel++
		}
		confirm(p, verb("subscribe", pattern), name, c.channel)
	}
	return true
}

func (n *Node) unsubscribeFrom(c *conn, p *server.Peer, names []string, pattern bool) bool {
	if len(names) == 0 {
		for _, s := range n.subs {
			if s.conn == c && s.pattern == pattern {
				names = append(names, s.name)
			}
		}
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		if i := slices.Index(n.subs, subscription{c, name, pattern}); i >= 0 {
			n.subs = slices.Delete(n.subs, i, i+1)
			c.channel--
		}
		confirm(p, verb("unsubscribe", pattern), name, c.channel)
	}
	if len(names) == 0 {
		p.Block(func(w *server.Writer) {
			w.WritePushLen(3)
			w.WriteBulk(verb("unsubscribe", pattern))
			w.WriteNull()
			w.WriteInt(c.channel)
		})
	}
	return true
}

func verb(name string, pattern bool) string {
	if pattern {
		return "p" + name
	}
	return name
}

func confirm(p *server.Peer, what, name string, count int) {
	p.Block(func(w *server.Writer) {
		w.WritePushLen(3)
		w.WriteBulk(what)
		w.WriteBulk(name)
		w.WriteInt(count)
	})
}

// publish delivers a message, also one from a script. Inside a transaction it
// would have to wait for EXEC, which is not simulated.
func (n *Node) publish(c *conn, p *server.Peer, args []string) bool {
	if len(args) != 2 {
		return false
	}
	if c.inTx {
		p.WriteError("ERR the simulated Redis does not support 'PUBLISH' inside MULTI")
		return true
	}
	channel, message := args[0], args[1]
	receivers := 0
	for _, s := range n.subs {
		if s.matches(channel) {
			receivers++
			s.deliver(channel, message)
			if s.conn != c {
				s.conn.answer()
			}
		}
	}
	p.WriteInt(receivers)
	return true
}

func (s subscription) matches(channel string) bool {
	if s.pattern {
		return glob(s.name, channel)
	}
	return s.name == channel
}

func (s subscription) deliver(channel, message string) {
	p := s.conn.peer
	p.Block(func(w *server.Writer) {
		if s.pattern {
			w.WritePushLen(4)
			w.WriteBulk("pmessage")
			w.WriteBulk(s.name)
		} else {
			w.WritePushLen(3)
			w.WriteBulk("message")
		}
		w.WriteBulk(channel)
		w.WriteBulk(message)
	})
	p.Flush()
}

// glob matches as Redis does: * any run, ? any one, [a-z] and [^a-z] a class,
// backslash the next character as it is.
func glob(pattern, s string) bool {
	for len(pattern) > 0 {
		switch pattern[0] {
		case '*':
			rest := strings.TrimLeft(pattern, "*")
			for i := range len(s) + 1 {
				if glob(rest, s[i:]) {
					return true
				}
			}
			return false
		case '?':
			if s == "" {
				return false
			}
			pattern, s = pattern[1:], s[1:]
		case '[':
			end := strings.IndexByte(pattern, ']')
			if end < 0 || s == "" || !class(pattern[1:end], s[0]) {
				return false
			}
			pattern, s = pattern[end+1:], s[1:]
		default:
			if pattern[0] == '\\' && len(pattern) > 1 {
				pattern = pattern[1:]
			}
			if s == "" || s[0] != pattern[0] {
				return false
			}
			pattern, s = pattern[1:], s[1:]
		}
	}
	return s == ""
}

func class(set string, c byte) bool {
	not := strings.HasPrefix(set, "^")
	set = strings.TrimPrefix(set, "^")
	in := false
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			in = in || set[i] <= c && c <= set[i+2]
			i += 2
			continue
		}
		in = in || set[i] == c
	}
	return in != not
}
