package simpgbouncer

import (
	"encoding/binary"
	"slices"
)

// cancel handles a cancel request: the key is one that the pooler has given to a client. The request is forwarded on a new
// server connection, with the key of the server.
func (c *client) cancel(m message) {
	const length = 12
	if len(m.body) != length {
		c.disconnect(false, "bad cancel request")
		return
	}
	target := c.pooler.byKey([8]byte(m.body[4:]))
	switch {
	case target == nil:
		c.disconnect(false, "failed cancel request")
		return
	case target.server == nil:
		c.disconnect(false, "cancel request for idle client")
		return
	}
	c.pool, c.victim = target.pool, target.server
	c.victim.cancelers = append(c.victim.cancelers, c)
	c.enter(clientWaitsToCancel)
	c.in = nil
	c.pool.launch()
}

// byKey returns the client that was given a cancel key, nil if there is none.
func (p *Pooler) byKey(key [8]byte) *client {
	for _, q := range p.pools {
		for _, c := range slices.Concat(q.clients[clientActive], q.clients[clientWaits]) {
			if c.key == key {
				return c
			}
		}
	}
	return nil
}

// forwardCancel sends the first cancel request that waits, unless its query has ended meanwhile. It reports whether it has.
func (b *backend) forwardCancel() bool {
	c := b.pool.clients[clientWaitsToCancel][0]
	if c.victim == nil {
		c.disconnect(false, "not sending cancel request for client that is now idle")
		return false
	}
	b.client, c.server = c, b
	out := binary.BigEndian.AppendUint32(nil, uint32(8+len(c.victim.key)))
	out = append(binary.BigEndian.AppendUint32(out, codeCancel), c.victim.key...)
	b.send(request{out, c.task, c.sock})
	c.enter(clientCancels)
	b.enter(serverCancels)
	return true
}

// dropCancelers removes the cancel requests that have not been forwarded: the query has ended.
func (b *backend) dropCancelers() {
	b.cancelers = slices.DeleteFunc(b.cancelers, func(c *client) bool {
		if c.state == clientWaitsToCancel {
			c.victim = nil
		}
		return c.victim == nil
	})
}

// leaveVictim ends a cancel request. A server connection that waits for nothing else is free again.
func (c *client) leaveVictim() {
	b := c.victim
	if c.server != nil { // the server has not answered: its connection ends by itself
		c.server.client, c.server = nil, nil
	}
	if b == nil {
		return
	}
	c.victim = nil
	b.cancelers = slices.DeleteFunc(b.cancelers, func(o *client) bool { return o == c })
	if b.state == serverCanceled && len(b.cancelers) == 0 {
		b.release()
	}
}
