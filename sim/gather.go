package sim

import (
	"errors"
	"io"
	"slices"
	"time"
)

// Gather makes all data written to the connection in one step leave as one segment: the
// bytes that canon returns. It is for client libraries that write to one connection
// from several goroutines, in frames whose order matters little but depends on the
// scheduler. Canon gets the bytes in the order in which they were written, and must
// return them in an order that does not depend on it. It may keep bytes back for its
// next call; if it returns none, no segment is sent. Call Gather before the first
// Write.
//
// The conductor calls canon at the end of the step, when goroutines may run again, so
// canon must only use data of its own. It must neither change the bytes nor block. If
// it panics, the run fails. The segment carries a task chosen as if one goroutine that
// does not set tasks itself had written it at the first Write: see [Process.SetTask].
func (c *Conn) Gather(canon func(written []byte) []byte) { c.gather.canon = canon }

// gathering is the data written to a gathering connection in the present step. Only the
// conductor uses the fields other than canon: goroutines that go on while it applies
// emissions may already write data of the next step.
type gathering struct {
	canon   func(written []byte) []byte // nil: each Write is a segment
	written []byte
	by      sender
}

// gathered notes what one Write has written.
func (c *Conn) gathered(data []byte, by sender) {
	if len(c.gather.written) == 0 {
		c.gather.by = by
	}
	c.gather.written = append(c.gather.written, data...)
	c.process.world.Network().gathers = c
}

// writesAhead reports whether a Write does not block in a pause.
func (c *Conn) writesAhead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.freely && c.gather.canon != nil
}

// gatherLater notes written data. In a pause of a process that writes freely, the data is kept
// until a goroutine made for it has had its turn at the gate, with all data written until then.
func (c *Conn) gatherLater(data []byte) {
	p := c.process
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ahead) == 0 && (!c.freely || p.isOpen()) {
		by := p.senderForOthers()
		by.stack = p.world.stackHere()
		p.emit(c.up.lane, 0, func() { c.gathered(data, by) })
		return
	}
	if c.ahead = append(c.ahead, data); len(c.ahead) == 1 {
		go c.leave()
	}
}

// leave sends the data that was written in a pause, unless the connection has ended.
func (c *Conn) leave() {
	p := c.process
	p.routines().passTo(c, c.up.lane, gateWrite)
	ended := p.world.draining()
	c.mu.Lock()
	defer c.mu.Unlock()
	ahead := c.ahead
	c.ahead = nil
	if c.closed || ended || c.err != nil && !errors.Is(c.err, io.EOF) {
		return
	}
	by := p.senderForOthers()
	for _, data := range ahead {
		p.emit(c.up.lane, 0, func() { c.gathered(data, by) })
	}
}

// sendGathered sends the data written to a connection in the present step, once all of it
// has been noted.
func (n *Network) sendGathered() {
	c := n.gathers
	if c == nil {
		return
	}
	n.gathers = nil
	written := c.gather.written
	c.gather.written = nil
	if data := c.gather.canon(written); len(data) > 0 {
		c.transmit(data, c.gather.by)
	}
}

// transmit sends a segment to the server. It is for the conductor.
func (c *Conn) transmit(data []byte, by sender) {
	if p := c.process; !p.world.draining() && !p.crashed {
		t := p.taskOf(by)
		code := c.noteWriter(t, by)
		if c.accepted != nil {
			c.accepted.Send(0, data, t)
			return
		}
		t.requested(p.world.now)
		c.expect(true)
		c.up.send(0, data, false, t)
		c.up.flying[len(c.up.flying)-1].code = code
	}
}

// Gather makes all data that the server sends in one step leave as one segment, with the
// task of the first [ServerConn.Send]. Data that departs later than data sent before is a
// segment of its own.
func (s *ServerConn) Gather() { s.gathers = true }

// joins adds data to the segment that was sent last, if that was in this step, and
// reports whether it did.
func (p *pipe) joins(depart time.Duration, data []byte) bool {
	last := len(p.flying) - 1
	if last < 0 || p.step != p.world.steps.Load() || p.flying[last].fin || depart > p.flying[last].sent {
		return false
	}
	g := p.flying[last]
	g.data = append(slices.Clip(g.data), data...) // the sender may have kept it
	return true
}
