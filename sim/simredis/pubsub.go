package simredis

import (
	"slices"

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

// subscribe is SUBSCRIBE and PSUBSCRIBE.
func (n *Node) subscribe(r *request) {
	for _, name := range r.args {
		s := subscription{r.conn, name, r.name == "psubscribe"}
		if !slices.Contains(n.subs, s) {
			n.subs = append(n.subs, s)
			r.conn.channels++
		}
		r.confirm(func(w *server.Writer) { w.WriteBulk(name) })
	}
}

// unsubscribe is UNSUBSCRIBE and PUNSUBSCRIBE: of everything, if there are no
// arguments.
func (n *Node) unsubscribe(r *request) {
	pattern := r.name == "punsubscribe"
	names := r.args
	if len(names) == 0 {
		for _, s := range n.subs {
			if s.conn == r.conn && s.pattern == pattern {
				names = append(names, s.name)
			}
		}
	}
	for _, name := range names {
		if i := slices.Index(n.subs, subscription{r.conn, name, pattern}); i >= 0 {
			n.subs = slices.Delete(n.subs, i, i+1)
			r.conn.channels--
		}
		r.confirm(func(w *server.Writer) { w.WriteBulk(name) })
	}
	if len(names) == 0 {
		r.confirm((*server.Writer).WriteNull)
	}
}

// confirm answers for one channel, and says how many are left.
func (r *request) confirm(name func(*server.Writer)) {
	r.out.Block(func(w *server.Writer) {
		w.WritePushLen(3)
		w.WriteBulk(r.name)
		name(w)
		w.WriteInt(r.conn.channels)
	})
}

// publish delivers a message, to channels first and then to patterns, as Redis
// does.
func (n *Node) publish(r *request) {
	channel, message := r.args[0], r.args[1]
	receivers := 0
	for _, patterns := range []bool{false, true} {
		for _, s := range n.subs {
			if s.pattern == patterns && s.matches(channel) {
				receivers++
				s.deliver(channel, message)
				if s.conn != r.conn {
					s.conn.answer()
				}
			}
		}
	}
	r.out.WriteInt(receivers)
}

func (s subscription) matches(channel string) bool {
	if s.pattern {
		return glob(s.name, channel)
	}
	return s.name == channel
}

func (s subscription) deliver(channel, message string) {
	s.conn.out.Block(func(w *server.Writer) {
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
}
