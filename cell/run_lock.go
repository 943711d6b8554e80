package cell

import (
	"github.com/lockpick-dev/lockpick/cell/internal/resource"
	"github.com/lockpick-dev/lockpick/cell/internal/workload"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
)

// lockRunner runs a lock: each thread of the client processes goes through the workload of its kind.
type lockRunner struct{}

// addActors adds the resource that the lock protects.
func (lockRunner) addActors(b *building) { resource.New(b.world, b.rec.Observe) }

// start makes the i-th client process.
func (lockRunner) start(b *building, i int) {
	p := b.Params
	process, client := b.process(i, p.ThreadCount() > 1)
	member := b.Lock.join(client)
	for _, bound := range client.bounds {
		b.rec.Measure(process, bound)
	}
	for thread := range p.ThreadCount() {
		register := resource.NewClient(process)
		b.world.OnEnd(func() { _ = register.Close() })
		work := workload.Client{
			Process: process, Thread: thread, Resource: register,
			Recorder: b.rec, Rounds: p.Rounds, Think: think(p), Stay: b.stay(i), TTL: p.TTL, Lease: p.LeaseAsked(), Again: p.Again, Checks: p.Checks > 0,
			Longer: b.longer(i), Renews: b.Lock.Renews, KeepsAlive: b.Lock.Store.Traits(p).KeepsAlive,
		}
		if b.stage.Calls != nil {
			work.Cancel = b.stage.Calls(process)
		}
		run := member.thread(work, i)
		process.Go(func() { run(b.ctx) })
	}
}

// judge judges the history.
func (lockRunner) judge(c Cell, h *model.History) []model.Verdict {
	return checker.Check(h, c.Judging(), c.Judged()...)
}
