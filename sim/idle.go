package sim

import "time"

// idleness is for how long a process has waited for nobody. The conductor
// alone uses it.
type idleness struct {
	busy  int           // what keeps it from being idle, now
	since time.Duration // when that last changed from or to nothing
	total time.Duration // until then
}

// Idle returns for how long, so far, the process has run and waited for
// nobody: it was alive and not paused, no connection of its was being made, none
// had carried anything to a server since something last came back on it, and none
// had an answer yet to come ([Owing]). What listens, such as a subscriber who has
// had his confirmation, is idle. It is for the conductor.
func (p *Process) Idle() time.Duration {
	if p.idle.busy > 0 {
		return p.idle.total
	}
	return p.idle.total + p.world.now - p.idle.since
}

// occupied says that something more (or, with -1, less) keeps the process from
// being idle.
func (p *Process) occupied(by int) {
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
	case answer && !c.asked:
		c.process.occupied(1)
	case !answer && c.asked:
		c.process.occupied(-1)
	}
	c.asked = answer
}
