package cell

import (
	"context"
	"errors"
	"time"

	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// programRunner runs a program.
type programRunner struct{ *programSubject }

// crew are the processes of a program in a run. The conductor alone uses it.
type crew struct {
	*building
	of *programSubject
	// alive is the number of processes that have neither returned nor crashed for good.
	alive int
	// lives are the processes that have started, each in its latest life.
	lives    map[*sim.Actor]*Process
	observer *Process
	asked    bool // it has begun
}

// addActors adds the process that runs Finally.
func (s programRunner) addActors(b *building) {
	c := &crew{building: b, of: s.programSubject, lives: map[*sim.Actor]*Process{}}
	b.crew = c
	if s.Finally != nil {
		p := b.world.NewProcess(model.Observer, sim.ProcessOptions{Host: "10.0.0.200", Threads: true})
		c.observer = &Process{Client: b.client(p), of: &s.Program, rec: b.rec, n: -1, life: 1}
	}
	b.stage.Revives = c.revive
	b.world.OnFault(func(f sim.Fault) {
		for actor, p := range c.lives { // unordered: one of them at most
			if f.Kind == sim.FaultCrash && actor.Name() == f.Actor {
				c.ended(p)
			}
		}
	})
}

// start makes the i-th process.
func (s programRunner) start(b *building, i int) {
	process, client := b.process(i, true)
	p := &Process{Client: client, of: &s.Program, rec: b.rec, n: i, life: 1}
	b.crew.lives[process.Actor] = p
	b.crew.begin(p)
}

// revive restarts a process.
func (c *crew) revive(dead *sim.Process) *sim.Process {
	was, process := c.lives[dead.Actor], dead.Restart()
	c.rec.Forget(process.Name())
	p := &Process{Client: c.client(process), of: was.of, rec: was.rec, n: was.n, life: was.life + 1}
	c.lives[dead.Actor] = p
	c.begin(p)
	return process
}

// begin lets a process run Main.
func (c *crew) begin(p *Process) {
	c.alive++
	process := p.process
	left := max(c.of.lasts(c.Params)-c.world.Now(), 0)
	process.Go(func() {
		ctx, cancel := context.WithCancel(c.ctx)
		defer cancel()
		p.ctx = ctx
		over := process.Clock().AfterFunc(left, func() {
			p.say(model.Statement{Kind: model.SaidOver, OK: true}, "", false)
			cancel()
		})
		defer over.Stop()
		c.run(p, c.of.Main)
		record.Turn(process, "end")
		process.Mark(0, "is done", func(sim.Event) {
			c.stage.Leave(process)
			c.ended(p)
		})
	})
}

// run runs Main, or Finally, between two marks.
func (c *crew) run(p *Process, main func(*Process) error) {
	p.say(model.Statement{Kind: model.SaidBegan, OK: true}, "", false)
	err := main(p)
	if err == nil || p.ctx.Err() != nil && errors.Is(err, p.ctx.Err()) {
		p.say(model.Statement{Kind: model.SaidEnded, OK: true}, "", false)
		return
	}
	p.say(model.Statement{Kind: model.SaidEnded, Detail: err.Error()}, "{node}: returns the error: "+err.Error(), true)
}

// ended notes the end of a process. After the last one Finally is run.
func (c *crew) ended(p *Process) {
	if p.over {
		return
	}
	p.over = true
	if c.alive--; c.alive == 0 && c.observer != nil {
		c.observe()
	}
}

// observe runs Finally when all faults are over, unless a process was restarted meanwhile.
func (c *crew) observe() {
	p := c.observer
	at := max(c.world.Now(), c.rec.Healed()+c.recovery())
	c.world.At(p.process.Actor, at, sim.EventStep, sim.EventOptions{Vital: true}, func() {
		if c.alive > 0 || c.asked {
			return
		}
		if c.rec.Healed()+c.recovery() > c.world.Now() {
			c.observe()
			return
		}
		c.asked = true
		c.stage.Rest()
		c.world.Network().SetLink(c.stage.Link(nil))
		p.process.Go(func() {
			ctx, cancel := context.WithTimeout(c.ctx, observes)
			defer cancel()
			p.ctx = ctx
			c.run(p, c.of.Finally)
		})
	})
}

// observes is the longest time that Finally may take.
const observes = 30 * time.Second
