package sim

import (
	"errors"
	"io"
	"slices"
	"time"
)

// Gather makes what is written to the connection in one step leave as one segment:
// the bytes that canon returns. It is for client libraries that write to one
// connection from several goroutines, or in an order that the scheduler decides, in
// frames whose order matters little. Canon gets the bytes in the order in which they
// were written, and arranges them so that this order leaves no trace. It may keep
// bytes back for its next call, and if it returns none there is no segment.
//
// The conductor calls canon at the end of the step. What else it does then may have woken
// goroutines already, so canon must use nothing that they use, only what is its own. It must
// not change the bytes nor block. If it panics, the run fails. The segment
// carries the task of the first Write; as with other goroutines that do not set tasks
// themselves, see [Process.SetTask]. Call Gather before the first Write.
func (c *Conn) Gather(canon func(written []byte) []byte) { c.gather.canon = canon }

// gathering is what was written to a connection in the present step, if it gathers. All
// but canon is the conductor's own: goroutines that go on while it applies emissions may
// write already what belongs to the next step.
type gathering struct {
	canon   func(written []byte) []byte // nil: each Write is a segment
	written []byte
	by      sent
}

// gathered notes what one Write has written.
func (c *Conn) gathered(data []byte, by sent) {
	if len(c.gather.written) == 0 {
		c.gather.by = by
	}
	c.gather.written = append(c.gather.written, data...)
	c.process.world.gathers = c
}

// writesAhead reports whether a Write does not block in a pause.
func (c *Conn) writesAhead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.freely && c.gather.canon != nil
}

// gatherLater notes what is written. In a pause of a process that writes freely it is kept until
// a goroutine of its own has had its turn, and so is what is written before that.
func (c *Conn) gatherLater(data []byte) {
	p := c.process
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ahead) == 0 && (!c.freely || p.isOpen()) {
		by := p.sendsForOthers()
		p.emit(c.up.lane, 0, func() { c.gathered(data, by) })
		return
	}
	if c.ahead = append(c.ahead, data); len(c.ahead) == 1 {
		go c.leave()
	}
}

// leave lets what was written in a pause leave after it, unless the connection has ended.
func (c *Conn) leave() {
	p := c.process
	p.passTo(c, c.up.lane, gateWrite)
	ended := p.world.draining()
	c.mu.Lock()
	defer c.mu.Unlock()
	ahead := c.ahead
	c.ahead = nil
	if c.closed || ended || c.err != nil && !errors.Is(c.err, io.EOF) {
		return
	}
	by := p.sendsForOthers()
	for _, data := range ahead {
		p.emit(c.up.lane, 0, func() { c.gathered(data, by) })
	}
}

// sendGathered sends what was written to a connection in the present step, when all of that
// has been noted.
func (w *World) sendGathered() {
	c := w.gathers
	if c == nil {
		return
	}
	w.gathers = nil
	written := c.gather.written
	c.gather.written = nil
	if data := c.gather.canon(written); len(data) > 0 {
		c.transmit(data, c.gather.by)
	}
}

// transmit sends a segment to the server. It is for the conductor.
func (c *Conn) transmit(data []byte, by sent) {
	if p := c.process; !p.world.draining() && !p.crashed {
		t := p.taskOf(by)
		t.asked(p.world.now)
		c.expect(true)
		c.up.send(0, data, false, t)
	}
}

// Gather makes what the server sends in one step leave as one segment, with the task of
// the first [ServerConn.Send]. What departs later than what was sent before is a segment of
// its own.
func (s *ServerConn) Gather() { s.gathers = true }

// joins adds data to the segment that was sent last, if that was in this very step.
func (p *pipe) joins(depart time.Duration, data []byte) bool {
	last := len(p.flying) - 1
	if last < 0 || p.step != p.world.steps.Load() || p.flying[last].fin || depart > p.flying[last].sent {
		return false
	}
	g := p.flying[last]
	g.data = append(slices.Clip(g.data), data...) // whoever sent it may have kept it
	return true
}
