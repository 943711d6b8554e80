package sim

import "time"

// Go starts a workload of the process: the run goes on until all workloads
// have returned. They start one after another, each at an event of its own.
// Go is for the conductor; a workload starts goroutines as any code does.
func (p *Process) Go(f func()) {
	if p.crashed {
		return
	}
	w := p.world
	w.workloads++
	p.workloads++
	w.schedule(&pending{at: w.now, kind: EventStep, actor: p.Actor, gated: true, fire: func() {
		event := w.Log(Event{Kind: EventStep, Actor: p.name, Detail: "start"}).Seq
		go func() {
			growStack()
			setStarter(event)
			guard(f, p.failed)
			p.emit(laneStep, 0, p.workloadDone)
		}()
	}})
}

// growStack makes the goroutine's stack as large as client libraries need it.
// Growing it later takes longer, since a deep stack has to be copied.
//
//go:noinline
func growStack() (used byte) {
	var room [8 << 10]byte
	for i := range 2 {
		used += room[i*len(room)/2]
	}
	return used
}

// workloadDone notes that a workload has returned.
func (p *Process) workloadDone() {
	if !p.crashed {
		p.world.workloads--
		p.workloads--
	}
}

// Mark puts an event into the log on behalf of the process's thread, hands it
// to f, in the conductor, and returns: what the thread does next, or wakes
// others to do, gets higher numbers. Marks that threads make in one step are
// in the order of the threads. The goroutine that calls it must hold no mutex
// that others may want.
func (p *Process) Mark(thread int, detail string, f func(Event)) {
	p.pass(laneMark+int64(thread), 0)
	w := p.world
	logged := make(chan struct{})
	p.emit(laneMark+int64(thread), 0, func() {
		if !w.draining() && !p.crashed {
			f(w.Log(Event{Kind: EventMark, Actor: p.name, Detail: detail}))
			close(logged)
		}
	})
	select {
	case <-logged:
	case <-w.ended:
	}
}

// Step lets d of the process's own time pass, as one event: the place between
// two actions of a workload at which a pause may strike. The goroutine that
// calls it waits. Any goroutine of the process may call it.
func (p *Process) Step(what string, d time.Duration) {
	p.pass(laneStep, waitKey(EventStep, what, d))
	p.wait(d, EventStep, what)
}

// jointWait is a wait of one or more goroutines that one event ends.
type jointWait struct {
	key   int64
	who   int64
	since time.Duration
	over  []chan struct{}
}

// wait blocks until d of the process's own time has passed and the process is
// not paused. Goroutines that begin the same wait in one step are woken one after
// another, each by an event of its own, in the order of [who]. Those that nothing
// tells apart are woken by one event.
func (p *Process) wait(d time.Duration, k EventKind, what string) {
	w := p.world
	if w.draining() {
		w.sleepInDrain(d)
		return
	}
	over := make(chan struct{})
	key := waitKey(k, what, d)
	me := who()
	p.emitFor(me, laneStep, key, func() {
		if own := p.latestWait; own != nil && own.key == key && own.who == me && own.since == w.moment {
			own.over = append(own.over, over)
			return
		}
		p.latestWait = &jointWait{key, me, w.moment, []chan struct{}{over}}
		p.scheduleEnd(p.latestWait, later(w.now, p.clock.trueDuration(d)), k, what)
	})
	select {
	case <-over:
	case <-w.ended:
	}
}

// waitKey tells waits apart.
func waitKey(k EventKind, what string, d time.Duration) int64 {
	return int64(hashUint(hashString(hashString(fnvOffset, string(k)), what), uint64(d)) >> 1)
}

// scheduleEnd schedules the end of a wait.
func (p *Process) scheduleEnd(wait *jointWait, due time.Duration, k EventKind, what string) {
	w := p.world
	w.schedule(&pending{at: due, kind: k, actor: p.Actor, gated: true, fire: func() {
		w.Log(Event{Kind: k, Actor: p.name, Detail: what})
		for _, over := range wait.over {
			close(over)
		}
	}})
}
