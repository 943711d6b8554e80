package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

type injectorFunc func(sim.Upcoming) bool

func (f injectorFunc) Before(e sim.Upcoming) bool { return f(e) }

// TestInjectors: each is asked once for each event, in order, of events that
// are about to happen; one that strikes is given another look at nothing.
func TestInjectors(t *testing.T) {
	var asked []string
	run(t, nil, func(w *sim.World) {
		a := w.NewActor("a")
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		for i := range 2 {
			struck := false
			w.Inject(injectorFunc(func(e sim.Upcoming) bool {
				asked = append(asked, fmt.Sprint(i, " ", e.Kind, " ", e.Actor.Name(), " ", e.At.Round(ms)))
				if i == 0 && e.Kind == sim.EventStep && !struck {
					struck = true
					return p.Pause(5 * ms)
				}
				return false
			}))
		}
		p.Go(func() {})
		at(w, a, ms, func() { asked = append(asked, "happened") })
	})
	want := "0 step c1 0s, 0 fault a 1ms, 1 fault a 1ms, happened, 0 fault c1 5ms, 1 fault c1 5ms, 1 step c1 5ms"
	if got := strings.Join(asked, ", "); got != want {
		t.Errorf("asked %s\nwant  %s", got, want)
	}
}

// TestStrikeTakesAwayTheEvent: an injector may make the very event impossible
// that it was asked about.
func TestStrikeTakesAwayTheEvent(t *testing.T) {
	for n := range 8 {
		run(t, nil, func(w *sim.World) {
			server := echo(w)
			struck := false
			w.Inject(injectorFunc(func(e sim.Upcoming) bool {
				if n--; n < 0 && !struck {
					if conns := w.Network().Conns(server); len(conns) > 0 {
						struck = true
						conns[0].Reset(nil)
						return true
					}
				}
				return false
			}))
			client(w, "c1", func(p *sim.Process) { _ = ping(dialed(p), "x") })
		})
	}
}
