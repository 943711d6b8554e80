package simredis

import (
	"slices"

	"github.com/alicebob/miniredis/v2/server"
)

// Nodes do not use the engine's Pub/Sub, which runs in goroutines, so that the scheduler would order
// the messages on a connection. A node delivers to its own subscribers only; messages are not
// replicated. In a Redis Cluster the bus carries them to the other nodes. Sentinels use this code,
// too.

// subscription is one connection's interest in a channel or a pattern.
type subscription struct {
	client *client
	name   string
	scope  scope
}

// scope is the kind of a subscription.
type scope int

const (
	channels scope = iota
	patterns
	shardChannels // channels that have hash slots
)

// scopes are the kinds that are not channels, by the commands that are about them.
var scopes = map[string]scope{
	"psubscribe": patterns, "punsubscribe": patterns,
	"ssubscribe": shardChannels, "sunsubscribe": shardChannels, "spublish": shardChannels,
}

// count returns how many subscriptions a client has, as the answer to one of the scope counts them.
func (c *client) count(s scope) *int {
	if s == shardChannels {
		return &c.sharded
	}
	return &c.channels
}

// subscriptions are kept in the order in which they were made.
type subscriptions []subscription

func (s *subscriptions) dropAll(c *client) {
	*s = slices.DeleteFunc(*s, func(o subscription) bool { return o.client == c })
}

// subscribe is SUBSCRIBE, PSUBSCRIBE and SSUBSCRIBE.
func (n *Node) subscribe(r *request) { n.subs.add(&r.conn.client, r.name, r.args) }

// unsubscribe is UNSUBSCRIBE, PUNSUBSCRIBE and SUNSUBSCRIBE.
func (n *Node) unsubscribe(r *request) { n.subs.remove(&r.conn.client, r.name, r.args) }

// add is the command SUBSCRIBE, PSUBSCRIBE or SSUBSCRIBE of a client.
func (s *subscriptions) add(c *client, command string, names []string) {
	for _, name := range names {
		o := subscription{c, name, scopes[command]}
		if !slices.Contains(*s, o) {
			*s = append(*s, o)
			*c.count(o.scope)++
		}
		c.confirm(command, func(w *server.Writer) { w.WriteBulk(name) })
	}
}

// remove is the command UNSUBSCRIBE, PUNSUBSCRIBE or SUNSUBSCRIBE of a client: of everything, if there
// are no names.
func (s *subscriptions) remove(c *client, command string, names []string) {
	kind := scopes[command]
	if len(names) == 0 {
		for _, o := range *s {
			if o.client == c && o.scope == kind {
				names = append(names, o.name)
			}
		}
	}
	for _, name := range names {
		if i := slices.Index(*s, subscription{c, name, kind}); i >= 0 {
			*s = slices.Delete(*s, i, i+1)
			*c.count(kind)--
		}
		c.confirm(command, func(w *server.Writer) { w.WriteBulk(name) })
	}
	if len(names) == 0 {
		c.confirm(command, (*server.Writer).WriteNull)
	}
}

// confirm answers for one channel, with the number of subscriptions.
func (c *client) confirm(command string, name func(*server.Writer)) {
	c.out.Block(func(w *server.Writer) {
		w.WritePushLen(3)
		w.WriteBulk(command)
		name(w)
		w.WriteInt(*c.count(scopes[command]))
	})
}

// publish is PUBLISH and SPUBLISH. Subscribers at other nodes are not counted.
func (n *Node) publish(r *request) {
	publish := n.subs.publish
	if r.name == "spublish" {
		publish = n.subs.publishSharded
	}
	r.out.WriteInt(publish(r.args[0], r.args[1], func(c *client) {
		if c != &r.conn.client {
			c.answer(n.busyUntil)
		}
	}))
	if n.member != nil {
		n.member.publish(r.name, r.args[0], r.args[1])
	}
}

// publish delivers a message, to channels first and then to patterns, as Redis does, and calls sent
// after each. It returns the number of receivers.
func (s subscriptions) publish(channel, message string, sent func(*client)) (receivers int) {
	return s.publishTo(channels, channel, message, sent) + s.publishTo(patterns, channel, message, sent)
}

// publishSharded is publish for a sharded channel.
func (s subscriptions) publishSharded(channel, message string, sent func(*client)) (receivers int) {
	return s.publishTo(shardChannels, channel, message, sent)
}

func (s subscriptions) publishTo(kind scope, channel, message string, sent func(*client)) (receivers int) {
	for _, o := range s {
		if o.scope == kind && o.matches(channel) {
			receivers++
			o.deliver(channel, message)
			sent(o.client)
		}
	}
	return receivers
}

func (s subscription) matches(channel string) bool {
	if s.scope == patterns {
		return glob(s.name, channel)
	}
	return s.name == channel
}

func (s subscription) deliver(channel, message string) {
	s.client.out.Block(func(w *server.Writer) {
		switch s.scope {
		case patterns:
			w.WritePushLen(4)
			w.WriteBulk("pmessage")
			w.WriteBulk(s.name)
		case channels:
			w.WritePushLen(3)
			w.WriteBulk("message")
		case shardChannels:
			w.WritePushLen(3)
			w.WriteBulk("smessage")
		}
		w.WriteBulk(channel)
		w.WriteBulk(message)
	})
}
