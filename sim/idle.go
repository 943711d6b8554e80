package sim

import "time"

// idleness is for how long a process has waited for nobody. The conductor
// alone uses it.
type idleness struct {
	busy  int           // what keeps it from being idle, now
	since time.Duration // when that last changed from or to nothing
	total time.Duration // until then
}

// Idle returns for how long, so far, the process has waited for nobody: it was alive
// and not paused, it was not dialing, and on none of its connections did it wait for an
// answer: something had come since it last sent something, and the server owed it
// nothing more ([Owing]). One that only listens, such as a subscriber
// whose subscription is confirmed, is idle. It is for the conductor.
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
