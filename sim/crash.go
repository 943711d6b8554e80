package sim

// Crash ends the process: its gate stays shut, its workloads count as done,
// its connections are reset and what it had in flight is lost. It does not
// come back; a restarted process is a new one at the same host.
func (p *Process) Crash() {
	if p.die() {
		p.world.net.Crash(p.Actor)
	}
}

// Kill ends the process as an operating system kills one: what it has sent still
// arrives, followed by the end of its connections, and what is on its way to it is
// lost. All else is as after a crash.
func (p *Process) Kill() {
	if p.die() {
		p.world.net.kill(p)
	}
}

// die ends the process but for its connections, once.
func (p *Process) die() bool {
	if p.crashed {
		return false
	}
	w := p.world
	p.crashed = true
	p.occupy(1) // who is dead is not idle
	p.shut(forEver)
	if p.resume != nil {
		w.discard(p.resume)
	}
	w.Fault(p.Actor, FaultCrash, 0)
	w.workloads -= p.workloads
	p.workloads = 0
	return true
}
