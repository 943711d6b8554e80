package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestRestart kills a process at each of its moments and starts it anew: the new one has a name, a host
// and a clock that goes on, and the dead one does nothing any more.
func TestRestart(t *testing.T) {
	for name, f := range map[string]func(*sim.Process){
		"in a step":   func(p *sim.Process) { p.Step("x", 40*ms) },
		"in a sleep":  func(p *sim.Process) { p.Clock().Sleep(40 * ms) },
		"in a dial":   func(p *sim.Process) { sleepUntil(10*ms - 100*us); _, _ = dial(p, 0) },
		"in a ping":   func(p *sim.Process) { c := dialed(p); sleepUntil(10*ms - 100*us); _ = ping(c, "late") },
		"of an idler": func(*sim.Process) { time.Sleep(40 * ms) },
		"at AfterFunc": func(p *sim.Process) {
			p.Clock().AfterFunc(40*ms, func() { panic("the dead does something") })
			<-p.Ended()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var said []string
			say := func(p *sim.Process, what string) {
				p.Mark(0, what, func(e sim.Event) { said = append(said, fmt.Sprint(p.Name(), " ", what, " ", e.At >= 30*ms)) })
			}
			r := run(t, nil, func(w *sim.World) {
				listen(w, handler{receive: func(c *sim.ServerConn, data []byte) { c.Send(0, data, nil) }})
				p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1", Offset: time.Hour})
				p.Go(func() {
					say(p, "lives")
					f(p)
					say(p, "lives on")
				})
				faults := w.NewActor("faults")
				at(w, faults, 10*ms, func() { p.Kill() })
				at(w, faults, 30*ms, func() {
					again := p.Restart()
					again.Go(func() {
						if ahead := again.Clock().Now().Sub(time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)) - time.Hour; ahead < 30*ms || ahead > 40*ms {
							t.Errorf("its clock shows an hour and %v", ahead)
						}
						must(ping(dialed(again), "anew"))
						say(again, "lives")
					})
				})
			})
			if want := []string{"c1 lives false", "c1 lives true"}; !slices.Equal(said, want) {
				t.Errorf("said %q, want %q", said, want)
			}
			if crashes := slices.DeleteFunc(r.Events, func(e sim.Event) bool { return e.Kind != sim.EventFault }); len(crashes) != 2 {
				t.Errorf("faults %v", crashes)
			}
		})
	}
}

// TestRestartOfTheLiving is refused.
func TestRestartOfTheLiving(t *testing.T) {
	sim.Run(sim.Config{}, func(w *sim.World) {
		defer func() {
			if got := fmt.Sprint(recover()); !strings.Contains(got, "Restart of c1, which has not crashed") {
				t.Errorf("a living process is restarted: %v", got)
			}
		}()
		w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"}).Restart()
	})
}
