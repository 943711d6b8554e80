package sim

import "time"

// idleness is how long a process has been idle. The conductor alone uses it.
type idleness struct {
	busy  int           // what keeps it from being idle, now
	since time.Duration // when that last changed from or to nothing
	total time.Duration // until then
}

// Idle returns how long, so far, the process has been idle: alive, not paused, not
// dialing, and without a request under way. A request is under way on a connection
// until data has come after it, nothing is on its way either way, and the server owes no
// more ([Owing]): an answer may be the one to an earlier request. A process
// that only listens, such as a subscriber with a confirmed subscription, is idle.
// It is for the conductor.
func (p *Process) Idle() time.Duration {
	if p.idle.busy > 0 {
		return p.idle.total
	}
	return p.idle.total + p.world.now - p.idle.since
}

// occupy says that one thing more keeps the process from being idle, or, with -1,
// one less.
func (p *Process) occupy(by int) {
	f := &p.idle
	was := f.busy
	f.busy += by
	switch now := p.world.now; {
	case was == 0:
		f.total += now - f.since
	case f.busy == 0:
		f.since = now
	}
}

// expect says whether the client waits for an answer on the connection.
func (c *Conn) expect(answer bool) {
	switch {
	case answer && !c.awaiting:
		c.process.occupy(1)
	case !answer && c.awaiting:
		c.process.occupy(-1)
	}
	c.awaiting = answer
}
