package simredis

import (
	"slices"

	"github.com/alicebob/miniredis/v2/server"
)

// publish sends a message of PUBLISH to the other nodes, or one of SPUBLISH to those of its shard.
func (m *member) publish(command, channel, message string) {
	for _, other := range m.others() {
		n := other.node
		answer := func(c *client) { c.answer(n.busyUntil) }
		switch {
		case command == "publish":
			m.post(other, "publish "+channel, func() { n.subs.publish(channel, message, answer) })
		case m.masterOf(other.number) == m.masterOf(m.number):
			m.post(other, "spublish "+channel, func() { n.subs.publishSharded(channel, message, answer) })
		}
	}
}

// dropShardChannels ends the subscriptions of the sharded channels of a slot that another master now owns, and notifies
// the subscribers.
func (n *Node) dropShardChannels(slot int) {
	lost := func(s subscription) bool { return s.scope == shardChannels && Slot(s.name) == slot }
	for _, s := range slices.Clone(n.subs) {
		if lost(s) {
			s.client.sharded--
			s.client.confirm("sunsubscribe", func(w *server.Writer) { w.WriteBulk(s.name) })
			s.client.answer(n.busyUntil)
		}
	}
	n.subs = slices.DeleteFunc(n.subs, lost)
}
