package simredis

import (
	"slices"

	"github.com/alicebob/miniredis/v2/server"
)

// Pub/sub is the nodes' own: the engine's runs in goroutines, so that the
// order of messages on a connection would be the scheduler's. A node delivers
// to its own subscribers only; messages are not replicated. Sentinels publish by the same.

// subscription is one connection's interest in a channel or a pattern.
type subscription struct {
	client  *client
	name    string
	pattern bool
}

// subscriptions are kept in the order in which they were made.
type subscriptions []subscription

func (s *subscriptions) dropAll(c *client) {
	*s = slices.DeleteFunc(*s, func(o subscription) bool { return o.client == c })
}

// subscribe is SUBSCRIBE and PSUBSCRIBE.
func (n *Node) subscribe(r *request) { n.subs.add(&r.conn.client, r.name, r.args) }

// unsubscribe is UNSUBSCRIBE and PUNSUBSCRIBE.
func (n *Node) unsubscribe(r *request) { n.subs.remove(&r.conn.client, r.name, r.args) }

// add is the command SUBSCRIBE or PSUBSCRIBE of a client.
func (s *subscriptions) add(c *client, command string, names []string) {
	for _, name := range names {
		o := subscription{c, name, command == "psubscribe"}
		if !slices.Contains(*s, o) {
			*s = append(*s, o)
			c.channels++
		}
		c.confirm(command, func(w *server.Writer) { w.WriteBulk(name) })
	}
}

// remove is the command UNSUBSCRIBE or PUNSUBSCRIBE of a client: of everything, if there are no
// names.
func (s *subscriptions) remove(c *client, command string, names []string) {
	pattern := command == "punsubscribe"
	if len(names) == 0 {
		for _, o := range *s {
			if o.client == c && o.pattern == pattern {
				names = append(names, o.name)
			}
		}
	}
	for _, name := range names {
		if i := slices.Index(*s, subscription{c, name, pattern}); i >= 0 {
			*s = slices.Delete(*s, i, i+1)
			c.channels--
		}
		c.confirm(command, func(w *server.Writer) { w.WriteBulk(name) })
	}
	if len(names) == 0 {
		c.confirm(command, (*server.Writer).WriteNull)
	}
}

// confirm answers for one channel, and says how many are left.
func (c *client) confirm(command string, name func(*server.Writer)) {
	c.out.Block(func(w *server.Writer) {
		w.WritePushLen(3)
		w.WriteBulk(command)
		name(w)
		w.WriteInt(c.channels)
	})
}

// publish delivers a message of a client.
func (n *Node) publish(r *request) {
	r.out.WriteInt(n.subs.publish(r.args[0], r.args[1], func(c *client) {
		if c != &r.conn.client {
			c.answer(n.busyUntil)
		}
	}))
}

// publish delivers a message, to channels first and then to patterns, as Redis does, and calls sent
// after each. It returns how many have got it.
func (s subscriptions) publish(channel, message string, sent func(*client)) (receivers int) {
	for _, patterns := range []bool{false, true} {
		for _, o := range s {
			if o.pattern == patterns && o.matches(channel) {
				receivers++
				o.deliver(channel, message)
				sent(o.client)
			}
		}
	}
	return receivers
}

func (s subscription) matches(channel string) bool {
	if s.pattern {
		return glob(s.name, channel)
	}
	return s.name == channel
}

func (s subscription) deliver(channel, message string) {
	s.client.out.Block(func(w *server.Writer) {
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
