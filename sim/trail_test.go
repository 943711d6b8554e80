package sim_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/sim"
)

// trailed is a run with its trail.
func trailed(t tester, tape sim.Tape, setUp func(*sim.World)) sim.Report {
	t.Helper()
	r := sim.Run(sim.Config{Tape: tape, Record: true, Trail: true}, setUp)
	good(t, r)
	return r
}

// TestNoTrail: only who asks for one gets one, and it changes nothing else.
func TestNoTrail(t *testing.T) {
	setUp := dialogue{clients: [][]int{{0, 3, 1}, {1, 2, 0}}, servers: 2}.setUp
	without, with := run(t, randomTape(1), setUp), trailed(t, randomTape(1), setUp)
	same(t, "with a trail", without, with)
	if without.Trail != nil || with.Trail == nil {
		t.Error("the trails are the wrong way round")
	}
}

// TestClasses: all orders of a world, and how many of them differ in more than
// the order of independent events.
func TestClasses(t *testing.T) {
	factorial := []int{1, 1, 2, 6, 24}
	message := func(w *sim.World, from, to *sim.Actor) {
		w.Network().Propagate(from, to, w.Network().NewLane(), 0, func(time.Duration, bool) {})
	}
	worlds := map[string]struct {
		setUp   func(w *sim.World, k int)
		classes func(k int) int
	}{
		"senders to one receiver": {func(w *sim.World, k int) {
			to := w.NewActor("receiver")
			for i := range k {
				message(w, w.NewActor(fmt.Sprint("s", i)), to)
			}
		}, func(k int) int { return factorial[k] }},
		"senders to receivers": {func(w *sim.World, k int) {
			for i := range k {
				message(w, w.NewActor(fmt.Sprint("s", i)), w.NewActor(fmt.Sprint("r", i)))
			}
		}, func(int) int { return 1 }},
		"one sender to one receiver": {func(w *sim.World, k int) {
			from, to := w.NewActor("sender"), w.NewActor("receiver")
			for range k {
				message(w, from, to)
			}
		}, func(k int) int { return factorial[k] }},
		"one sender, later": {func(w *sim.World, k int) {
			from, to := w.NewActor("sender"), w.NewActor("receiver")
			w.At(from, ms, sim.EventWork, sim.EventOptions{Vital: true}, func() {
				for range k {
					message(w, from, to)
				}
			})
		}, func(k int) int { return factorial[k] }},
		"steps": {func(w *sim.World, k int) {
			for i := range k {
				client(w, fmt.Sprint("c", i), func(*sim.Process) {})
			}
		}, func(int) int { return 1 }},
		"marks": {func(w *sim.World, k int) {
			for i := range k {
				client(w, fmt.Sprint("c", i), func(p *sim.Process) { p.Mark(0, "x", func(sim.Event) {}) })
			}
		}, func(k int) int { return factorial[k] }},
		"one of them marks": {func(w *sim.World, k int) {
			for i := range k {
				client(w, fmt.Sprint("c", i), func(p *sim.Process) {
					if i == 0 {
						p.Mark(0, "x", func(sim.Event) {})
					}
				})
			}
		}, func(int) int { return 1 }},
		"faults": {func(w *sim.World, k int) {
			for i := range k {
				at(w, w.NewActor(fmt.Sprint("a", i)), 0, func() {})
			}
		}, func(k int) int { return factorial[k] }},
		"one fault": {func(w *sim.World, k int) {
			for i := range k - 1 {
				w.At(w.NewActor(fmt.Sprint("a", i)), 0, sim.EventWork, sim.EventOptions{Vital: true}, func() {})
			}
			at(w, w.NewActor("z"), 0, func() {}) // any of the others may come before it
		}, func(k int) int { return 1 << (k - 1) }},
	}
	for name, test := range worlds {
		for k := 1; k <= 4; k++ {
			classes := map[uint64]bool{}
			n := every(sim.Order, func(tape sim.Tape) {
				classes[trailed(t, tape, func(w *sim.World) { test.setUp(w, k) }).Trail.Class()] = true
			})
			if n != factorial[k] || len(classes) != test.classes(k) {
				t.Errorf("%s: %d orders of %d are of %d classes, want %d", name, n, k, len(classes), test.classes(k))
			}
		}
	}
}

// TestClassOfChoices: runs that differ in any other choice are of different
// classes, wherever it was made.
func TestClassOfChoices(t *testing.T) {
	setUp := func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 200 * us, Jitter: ms})
		w.Inject(strikes{w, w.NewActor("strikes")})
		dialogue{clients: [][]int{{0}, {1}}, servers: 2}.add(w)
	}
	calm := trailed(t, nil, setUp)
	classes := map[uint64]string{calm.Trail.Class(): "calm"}
	for _, c := range calm.Choices {
		if c.Kind == sim.Order {
			continue
		}
		class := trailed(t, holdBack(c.ID()), setUp).Trail.Class()
		if other := classes[class]; other != "" {
			t.Errorf("%s makes the same class as %s", c.ID(), other)
		}
		classes[class] = c.ID()
	}
}

// TestStrikes: a fault that strikes between events is a step of its own. What
// went before it stays independent, and the class does not tell its order.
func TestStrikes(t *testing.T) {
	classes := map[uint64]bool{}
	n := every(sim.Order, func(tape sim.Tape) {
		r := trailed(t, tape, func(w *sim.World) {
			for i := range 2 {
				w.At(w.NewActor(fmt.Sprint("a", i)), ms, sim.EventWork, sim.EventOptions{Vital: true}, func() {})
			}
			p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() { p.Step("x", 2*ms) })
			w.Inject(&once{at: 2 * ms, strike: func() { p.Pause(ms) }})
		})
		classes[r.Trail.Class()] = true
		var fixed []time.Duration
		for _, s := range r.Trail.Steps {
			if s.Fixed {
				fixed = append(fixed, s.At)
			}
		}
		if !slices.Equal(fixed, []time.Duration{2 * ms, 3 * ms}) {
			t.Errorf("the fixed steps are at %v, not where the pause begins and ends", fixed)
		}
	})
	if n != 2 || len(classes) != 1 {
		t.Errorf("%d orders of %d classes", n, len(classes))
	}
}

// once is an injector that strikes once, before the first event at that time.
type once struct {
	at     time.Duration
	strike func()
}

func (o *once) Before(e sim.Upcoming) bool {
	if e.At != o.at || o.strike == nil {
		return false
	}
	o.strike()
	o.strike = nil
	return true
}

// dialogue is a world of clients and servers that answer them.
type dialogue struct {
	clients [][]int // what each does: see act
	servers int
	delays  []time.Duration // of the servers' answers
	faults  int             // how many pauses, and late segments
}

// pauses is an injector.
type pauses struct {
	w         *sim.World
	processes map[string]*sim.Process
	budget    int
}

func (i *pauses) Before(e sim.Upcoming) bool {
	p := i.processes[e.Actor.Name()]
	if i.budget == 0 || p == nil || i.w.Choose(sim.Decision{Kind: "fault:pause", Actor: p.Name(), Options: 2, Odds: 5}) == 0 {
		return false
	}
	i.budget--
	return p.Pause(50 * us)
}

func (d dialogue) setUp(w *sim.World) {
	w.Network().SetLink(sim.Link{
		Base: 50 * us, Jitter: 30 * us,
		Late: []sim.Lateness{{By: []time.Duration{300 * us}, Budget: d.faults, Odds: 5}},
	})
	w.Inject(&pauses{w, d.add(w), d.faults})
}

func (d dialogue) add(w *sim.World) map[string]*sim.Process {
	for i := range d.servers {
		a := w.NewActor(fmt.Sprint("server", i))
		w.Network().Listen(d.address(i), a, func(c *sim.ServerConn) sim.Handler {
			seen := 0
			return handler{receive: func(_ *sim.ServerConn, data []byte) {
				if seen++; seen%3 == 0 {
					w.Log(sim.Event{Kind: sim.EventNote, Actor: a.Name(), Detail: string(data)})
				}
				if len(d.delays) == 0 {
					c.Send(0, data, nil)
					return
				}
				w.At(a, w.Now()+d.delays[i], sim.EventWork, sim.EventOptions{Vital: true}, func() { c.Send(0, data, nil) })
			}}
		})
	}
	processes := map[string]*sim.Process{}
	for i, acts := range d.clients {
		p := client(w, fmt.Sprint("c", i), func(p *sim.Process) { d.play(p, acts) })
		processes[p.Name()] = p
	}
	return processes
}

func (dialogue) address(i int) string { return fmt.Sprintf("10.0.1.%d:7", i+1) }

// talk is a conversation with a server, which may take too long. The client
// waits for the answer, or looks for it later.
func (d dialogue) talk(p *sim.Process, server int, later time.Duration) {
	c, err := p.DialContext(context.Background(), "tcp", d.address(server%d.servers), 0)
	must(err)
	must(c.SetReadDeadline(time.Now().Add(150 * us)))
	must2(io.WriteString(c, "hello from "+p.Name()))
	if later > 0 {
		p.Step("look later", later)
	}
	_, err = c.Read(make([]byte, 100))
	must2(io.WriteString(c, "read: "+outcome(err)))
	must(c.Close())
}

// play does what a client does: talk to a server, to two at once, let time
// pass, make a mark.
func (d dialogue) play(p *sim.Process, acts []int) {
	for _, act := range acts {
		switch act {
		case 0, 1, 2:
			d.talk(p, act, 0)
		case 3:
			p.Mark(0, p.Clock().Now().String(), func(sim.Event) {})
		case 4:
			p.Step("wait", 30*us)
		case 5:
			<-p.Clock().After(window - us)
		case 6:
			done := make(chan bool)
			for i := range 2 {
				go func() {
					d.talk(p, i, 0)
					done <- true
				}()
			}
			<-done
			<-done
		case 7, 8, 9:
			d.talk(p, act-7, 110*us)
		}
	}
}

func drawDialogue(t *rapid.T) dialogue {
	delay := rapid.SampledFrom([]time.Duration{0, 10 * us, 40 * us})
	d := dialogue{
		clients: rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 9), 1, 4), 2, 3).Draw(t, "clients"),
		servers: rapid.IntRange(1, 3).Draw(t, "servers"),
		faults:  rapid.IntRange(0, 2).Draw(t, "faults"),
	}
	if rapid.Bool().Draw(t, "servers take their time") {
		d.delays = rapid.SliceOfN(delay, d.servers, d.servers).Draw(t, "delays")
	}
	return d
}

// edited is a tape that answers orders one after another, and everything else
// by its identity.
type edited struct {
	orders []int
	others map[string]int
}

func (e *edited) Choose(d sim.Decision) int {
	if d.Kind != sim.Order {
		return e.others[d.ID()]
	}
	if len(e.orders) == 0 {
		return 0
	}
	option := e.orders[0]
	e.orders = e.orders[1:]
	return min(option, d.Options-1)
}

// A swap is a place in a run where two steps that follow each other could have
// come in the other order.
type swap struct {
	run      sim.Report
	setUp    func(*sim.World)
	junction int // before the first of the two
}

// steps are the two.
func (s swap) steps() (a, b sim.TrailStep) {
	at := s.run.Trail.Junctions[s.junction].Step
	return s.run.Trail.Steps[at], s.run.Trail.Steps[at+1]
}

// swaps lists those of a run.
func swaps(r sim.Report, setUp func(*sim.World)) []swap {
	var list []swap
	for i, j := range r.Trail.Junctions {
		s := swap{r, setUp, i}
		if j.Step+1 < len(r.Trail.Steps) {
			if a, b := s.steps(); slices.Contains(j.Ready, a.Serial) && slices.Contains(j.Ready, b.Serial) {
				list = append(list, s)
			}
		}
	}
	return list
}

// dependent says so as the comment of Trail does. Neither leads to the other:
// both were ready.
func dependent(a, b sim.TrailStep) bool {
	return a.Actor == b.Actor || a.Visible && b.Visible || a.Fixed || b.Fixed
}

// play runs the world with the steps swapped: the same until then, the second
// step, the first, and all others as they were.
func (s swap) play(t tester) sim.Report {
	orders, others := []int{}, map[string]int{}
	at, behind := s.run.Trail.Junctions[s.junction], 0
	for _, j := range s.run.Trail.Junctions {
		if j.Step <= at.Step+1 {
			behind = j.Decision + 1
		}
	}
	var rest []int
	for i, c := range s.run.Choices {
		switch {
		case c.Kind != sim.Order:
			others[c.ID()] = c.Option
		case i < at.Decision:
			orders = append(orders, c.Option)
		case i >= behind:
			rest = append(rest, c.Option)
		}
	}
	a, b := s.steps()
	orders = append(orders, slices.Index(at.Ready, b.Serial))
	// Which option the first step is, when the second has come before it?
	r := trailed(t, &edited{orders, others}, s.setUp)
	for _, j := range r.Trail.Junctions[s.junction:] {
		if i := slices.Index(j.Ready, a.Serial); j.Step == at.Step+1 && i >= 0 {
			orders = append(orders, i)
		}
	}
	r = trailed(t, &edited{append(orders, rest...), others}, s.setUp)
	if dependent(a, b) {
		return r // the second may have made the first superfluous
	}
	if c, d := (swap{r, nil, s.junction}).steps(); c.Serial != b.Serial || d.Serial != a.Serial {
		t.Fatalf("steps %d and %d came, not %d and %d", c.Serial, d.Serial, b.Serial, a.Serial)
	}
	return r
}

// visible lists what is observed from outside, and all what happened, in an
// order of its own. Connections are numbered by the order of the dials of all
// processes, which has no meaning.
func visible(r sim.Report) (seen, all []string) {
	for _, e := range r.Events {
		e.Seq, e.Conn = 0, 0
		if all = append(all, line(e)); e.Kind == sim.EventMark || e.Kind == sim.EventNote {
			seen = append(seen, line(e))
		}
	}
	slices.Sort(all)
	return seen, all
}

// TestSwaps: to swap two independent steps changes nothing else, to swap two
// others is another class.
func TestSwaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		setUp := drawDialogue(t).setUp
		r := trailed(t, randomTape(rapid.Uint64().Draw(t, "seed")), setUp)
		places := swaps(r, setUp)
		if len(places) == 0 {
			t.Skip("there is nothing to swap")
		}
		s := places[rapid.IntRange(0, len(places)-1).Draw(t, "where")]
		a, b := s.steps()
		swapped := s.play(t)
		if equal := r.Trail.Class() == swapped.Trail.Class(); equal == dependent(a, b) {
			t.Errorf("the same class: %v, for steps %+v and %+v", equal, a, b)
		}
		if dependent(a, b) {
			return
		}
		seen, all := visible(r)
		seenToo, allToo := visible(swapped)
		if !slices.Equal(seen, seenToo) {
			t.Errorf("seen from outside:\n%q\n%q", seen, seenToo)
		}
		if !slices.Equal(all, allToo) {
			t.Errorf("steps %+v and %+v\n%s\n%s", a, b, list(r.Events), list(swapped.Events))
		}
	})
}
