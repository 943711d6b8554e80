package sim_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// sites runs a world and tells the site of each decision, by its identity, and
// how often there were which.
func sites(t *testing.T, tape sim.Tape, setUp func(w *sim.World)) (byID map[string]sim.Site, count map[sim.Site]int) {
	t.Helper()
	byID, count = map[string]sim.Site{}, map[sim.Site]int{}
	run(t, tapeFunc(func(d sim.Decision) int {
		byID[d.ID()] = d.Site
		count[d.Site]++
		return tape.Choose(d)
	}), setUp)
	return byID, count
}

// polling is a world of processes that try the same thing again and again, with
// injectors that might strike.
func polling(clients, tries int) func(w *sim.World) {
	return func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 200 * us, Jitter: 100 * us})
		w.Inject(calmly{w})
		echo(w)
		for i := range clients {
			client(w, fmt.Sprint("c", i), func(p *sim.Process) {
				c := dialed(p)
				for range tries {
					p.SetTask(&sim.Task{Name: "try"})
					must(ping(c, "x"))
					p.SetTask(nil)
					p.Step("wait", ms)
				}
			})
		}
	}
}

// calmly asks before every event and never strikes.
type calmly struct{ w *sim.World }

func (c calmly) Before(e sim.Upcoming) bool {
	c.w.Choose(sim.Decision{Kind: "fault:none", Actor: e.Actor.Name(), Options: 2})
	return false
}

// TestSitesAgain: the same decisions of two runs are at the same sites.
func TestSitesAgain(t *testing.T) {
	first, _ := sites(t, randomTape(1), polling(2, 5))
	again, _ := sites(t, randomTape(1), polling(2, 5))
	if len(first) != len(again) || len(first) < 50 {
		t.Fatalf("%d and %d decisions", len(first), len(again))
	}
	for id, site := range first {
		if again[id] != site {
			t.Errorf("%s: site %x, then %x", id, site, again[id])
		}
	}
	// Another run of the same code is at the same places, too.
	_, here := sites(t, randomTape(1), polling(2, 5))
	_, there := sites(t, randomTape(2), polling(2, 5))
	known := 0
	for site := range there {
		if here[site] > 0 {
			known++
		}
	}
	if known*10 < len(there)*9 {
		t.Errorf("only %d of %d sites are known from another run", known, len(there))
	}
}

// TestSitesArePlaces: decisions about the same kind of event are at different
// sites if they concern another process, another task or another phase of it,
// and at the same one if the same thing is tried again.
func TestSitesArePlaces(t *testing.T) {
	type place struct{ actor, where string }
	seen := map[place]sim.Site{}
	var w *sim.World
	where, acting := "", ""
	run(t, tapeFunc(func(d sim.Decision) int {
		if d.Kind == sim.Latency && d.Actor == acting {
			seen[place{d.Actor, where}] = d.Site
		}
		return 0
	}), func(world *sim.World) {
		w = world
		w.Network().SetLink(sim.Link{Base: 200 * us, Jitter: us})
		listen(w, handler{})
		for i := range 2 {
			client(w, fmt.Sprint("c", i), func(p *sim.Process) {
				c := dialed(p)
				sleepUntil(time.Duration(i+1) * 100 * ms)
				for _, task := range []string{"", "acquire", "release", "acquire"} {
					if task != "" {
						p.SetTask(&sim.Task{Name: task})
					}
					for range 3 {
						p.Step("x", ms)
						where, acting = fmt.Sprint(task, " ", len(seen)), p.Name()
						must2(io.WriteString(c, "x"))
						p.Step("x", ms)
					}
				}
			})
		}
	})
	if len(seen) != 2*4*3 {
		t.Fatalf("%d writes", len(seen))
	}
	different := map[sim.Site][]place{}
	for p, site := range seen {
		different[site] = append(different[site], p)
	}
	// The second acquire is where the first one was.
	if len(different) != 2*3*3 {
		t.Errorf("%d sites, of %d places: %v", len(different), len(seen), different)
	}
}

// TestSitesOfOrders: orders that concern different processes are at different
// sites.
func TestSitesOfOrders(t *testing.T) {
	orders := map[sim.Site]bool{}
	run(t, tapeFunc(func(d sim.Decision) int {
		if d.Kind == sim.Order {
			orders[d.Site] = true
		}
		return 0
	}), func(w *sim.World) {
		for i := range 3 {
			client(w, fmt.Sprint("c", i), func(p *sim.Process) {
				for range 3 {
					p.Step("x", ms)
				}
			})
		}
	})
	if len(orders) < 6 {
		t.Errorf("only %d sites", len(orders))
	}
}

// TestSitesAreBounded: who tries the same again and again does not come to new
// places.
func TestSitesAreBounded(t *testing.T) {
	few, many := 0, 0
	for tries, n := range map[int]*int{100: &few, 1000: &many} {
		_, count := sites(t, randomTape(1), polling(1, tries))
		*n = len(count)
	}
	if many > 100 || many > few+20 {
		t.Errorf("a hundred tries have %d sites, a thousand %d", few, many)
	}
}

// TestSitesOfFirstSteps: what a task sends at once, in the step in which it
// begins, is of the task, and its turns are counted; and what comes between
// tasks is told by the one that has ended.
func TestSitesOfFirstSteps(t *testing.T) {
	type at struct {
		task uint64
		turn int
	}
	var requests []at
	run(t, tapeFunc(func(d sim.Decision) int {
		if d.Kind == sim.Latency && d.Actor == "c" {
			requests = append(requests, at{d.Site.Task, d.TaskNumber})
		}
		return 0
	}), func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 200 * us, Jitter: us})
		echo(w)
		client(w, "c", func(p *sim.Process) {
			c := dialed(p)
			for range 2 {
				for _, task := range []string{"acquire", "release"} {
					p.SetTask(&sim.Task{Name: task})
					must(ping(c, "x"))
					p.SetTask(nil)
					p.Step("between", ms)
					must(ping(c, "y"))
				}
			}
		})
	})
	requests = requests[len(requests)-8:] // what comes before is dialing
	for i, r := range requests {
		if want := 1 + i/4; r.turn != want {
			t.Errorf("request %d is of turn %d, want %d", i, r.turn, want)
		}
		for j, other := range requests {
			if same := i%4 == j%4; same != (r.task == other.task) {
				t.Errorf("requests %d and %d: tasks %x and %x", i, j, r.task, other.task)
			}
		}
	}
}
