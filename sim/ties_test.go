package sim_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/testdata/globals"
)

// tied are ways to let the same time pass on a process's clock, of goroutines that
// begin at the same instant.
var tied = map[string]func(p *sim.Process){
	"sleep": func(p *sim.Process) { p.Clock().Sleep(5 * ms) },
	"step":  func(p *sim.Process) { p.Step("work", 5*ms) },
	"timer": func(p *sim.Process) { <-p.Clock().NewTimer(5 * ms).Chan() },
	"func": func(p *sim.Process) {
		done := make(chan bool)
		p.Clock().AfterFunc(5*ms, func() { close(done) })
		<-done
	},
	"ticker": func(p *sim.Process) {
		t := p.Clock().NewTicker(5 * ms)
		defer t.Stop()
		<-t.Chan()
	},
	"reset": func(p *sim.Process) {
		t := p.Clock().NewTimer(time.Hour)
		t.Reset(5 * ms)
		<-t.Chan()
	},
}

// races sends a number that is drawn from a source that all share, on a connection
// of its own.
func races(thread int, send func([]byte) (int, error)) {
	dawdle()
	number, _ := globals.Seedable()
	must2(send(fmt.Appendf(nil, "%d has %d", thread, number)))
}

// repeats runs a world under either GOMAXPROCS: all runs must be the same.
func repeats(t *testing.T, setUp func(*sim.World)) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	first := run(t, randomTape(1), setUp)
	for i := range 12 {
		runtime.GOMAXPROCS(1 + i%2)
		same(t, fmt.Sprint("run ", i), first, run(t, randomTape(1), setUp))
	}
}

// TestTimersOfWorkloads: workloads of a process that set equal timers in one step,
// again and again, go on in the order of the workloads.
func TestTimersOfWorkloads(t *testing.T) {
	for name, wait := range tied {
		t.Run(name, func(t *testing.T) {
			repeats(t, func(w *sim.World) {
				echo(w)
				p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
				for thread := range 4 {
					p.Go(func() {
						c := dialed(p)
						for round := range 3 {
							sleepUntil(time.Duration(10*(round+1)) * ms)
							dawdle()
							wait(p)
							races(thread, c.Write)
						}
					})
				}
			})
		})
	}
}

// TestTimersOfWatchdogs: what functions of timers do at the same instant keeps the
// order of the timers, a minute of equal renewals long.
func TestTimersOfWatchdogs(t *testing.T) {
	repeats(t, func(w *sim.World) {
		echo(w)
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		for thread := range 3 {
			p.Go(func() {
				c := dialed(p)
				sleepUntil(10 * ms)
				var over sync.WaitGroup
				over.Add(30)
				left := 30
				var renew func()
				renew = func() {
					races(thread, c.Write)
					// A deadline of package time lets all go on at one instant.
					sleepUntil(since().Truncate(time.Second) + time.Second)
					dawdle()
					if left--; left > 0 {
						p.Clock().AfterFunc(time.Second, renew)
					}
					over.Done()
				}
				dawdle()
				p.Clock().AfterFunc(time.Second, renew)
				over.Wait()
			})
		}
	})
}

// TestWaitsOfNobody: goroutines of one starter that nothing tells apart end equal
// waits together, and what they do on connections of their own repeats.
func TestWaitsOfNobody(t *testing.T) {
	for _, name := range []string{"sleep", "step"} {
		t.Run(name, func(t *testing.T) {
			repeats(t, func(w *sim.World) {
				echo(w)
				client(w, "c1", func(p *sim.Process) {
					var all sync.WaitGroup
					for range 4 {
						c := dialed(p)
						all.Go(func() {
							sleepUntil(10 * ms)
							dawdle()
							tied[name](p)
							dawdle()
							must2(c.Write([]byte("x")))
						})
					}
					all.Wait()
				})
			})
		})
	}
}

// TestSameOfWorkloads: workloads that do the same in one step, but for timers, go
// on in their own order, too: at the gate, when they take turns, when they dial.
func TestSameOfWorkloads(t *testing.T) {
	connected := func(f func(p *sim.Process)) func(*sim.Process, int) {
		return func(p *sim.Process, thread int) {
			c := dialed(p)
			sleepUntil(15 * ms)
			dawdle()
			f(p)
			races(thread, c.Write)
		}
	}
	for name, f := range map[string]func(*sim.Process, int){
		"gate": connected(tied["step"]),
		"turn": connected(func(p *sim.Process) { p.AwaitTurn("all") }),
		"dial": func(p *sim.Process, thread int) {
			sleepUntil(5 * ms)
			dawdle()
			must2(dialed(p).Write(fmt.Append(nil, thread)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			repeats(t, func(w *sim.World) {
				echo(w)
				p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
				for thread := range 4 {
					p.Go(func() { f(p, thread) })
				}
				if name == "gate" {
					at(w, w.NewActor("faults"), 10*ms, func() { p.Pause(10 * ms) })
				}
			})
		})
	}
}

// TestDialsOfOneStarter: two goroutines that one workload has started dial one address
// at one instant, and who gets which latency does not depend on the scheduler.
func TestDialsOfOneStarter(t *testing.T) {
	repeats(t, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 200 * us, Jitter: ms})
		echo(w)
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			for range 5 {
				var both sync.WaitGroup
				both.Add(2)
				go asker(p, &both)
				go looker(p, &both)
				both.Wait()
			}
		})
	})
}

func asker(p *sim.Process, done *sync.WaitGroup) {
	defer done.Done()
	dawdle()
	c := dialed(p)
	must2(c.Write([]byte("asks")))
}

func looker(p *sim.Process, done *sync.WaitGroup) {
	defer done.Done()
	dawdle()
	must(dialed(p).Close())
}
