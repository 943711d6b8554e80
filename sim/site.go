package sim

import "math/bits"

// A Site is a place in the protocol. Runs of the same code have the same sites,
// and a process that tries the same thing again and again has few, so a search can
// tell rare places from common ones. The parts are in order, the coarsest first.
type Site struct {
	// Actor is the target of the event before which a fault would strike, or the
	// sender of the segment that would be late.
	Actor int
	// Event is a hash of the event's kind and its source, or of the segment's
	// receiver.
	Event uint64
	// Process is the number of the process concerned: the actor itself or the other
	// one; 0 if neither is a process.
	Process int
	// Task is a hash of the name of its task, or of the last task that has ended.
	Task uint64
	// Step is the number of its events since that task began or ended: exact up to
	// 8, by magnitude above.
	Step int
}

// site is where a decision is asked: before the event that is about to happen,
// or about a segment of the actor's, and in which turn of its task the process
// is.
func (w *World) site(a *Actor) (s Site, turn int) {
	s.Actor = a.id
	other := w.travelling
	if p := w.before; p != nil {
		a, other = p.actor, p.from
		s.Actor, s.Event = a.id, hashString(fnvOffset, string(p.kind))
	}
	if other != nil {
		s.Event = hashUint(s.Event, uint64(other.id)+1)
	}
	for _, x := range [...]*Actor{a, other} {
		if x == nil || x.process == nil {
			continue
		}
		f := x.process.currentPhase()
		s.Process = x.id
		if s.Task, turn = f.name, f.turn; f.task == nil {
			s.Task++
		}
		if s.Step = f.steps; s.Step > 8 {
			s.Step = 8 + bits.Len(uint(s.Step))
		}
		break
	}
	return s, turn
}

// phase is how far a process is in its task.
type phase struct {
	task  *Task
	name  uint64         // a hash of the name of the task, or of the one that has ended
	turn  int            // how many tasks of that name it had begun then
	steps int            // that have happened to the process since the task began or ended
	turns map[string]int // how many tasks of each name it has begun
}

// currentPhase is the phase, brought up to date with the task. It is for the
// conductor, when all goroutines are blocked: a task that began in a step counts for
// all that the step has sent.
func (p *Process) currentPhase() *phase {
	f := &p.phase
	t := p.busy.now()
	if p.threads != nil {
		t = p.threads.latest(f.task)
	}
	if t == f.task {
		return f
	}
	f.task, f.steps = t, 0
	if t != nil {
		if f.turns == nil {
			f.turns = map[string]int{}
		}
		f.turns[t.Name]++
		f.name, f.turn = hashString(fnvOffset, t.Name), f.turns[t.Name]
	}
	return f
}
