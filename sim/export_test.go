package sim

import "time"

// GatedAt schedules an event of the process that waits while it is paused, as its steps
// and timers do.
func (w *World) GatedAt(p *Process, t time.Duration, vital bool, fire func()) {
	w.schedule(&pending{at: t, kind: EventWork, actor: p.Actor, gated: true, vital: vital, fire: call(fire)})
}
