package sim_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/testdata/globals"
)

// busy is a world with everything in it: several processes of several
// goroutines that hand work to each other, timers of both kinds, connections
// that are shared and broken, pauses, cuts and late segments.
func busy(w *sim.World) {
	w.Network().SetLink(sim.Link{
		Base: 200 * us, Jitter: ms, Late: []sim.Lateness{{By: []time.Duration{20 * ms, 3 * time.Second}, Budget: 3, Odds: 10}},
	})
	server := echo(w)
	faults := &injector{world: w, actor: w.NewActor("faults"), server: server, budget: 4}
	w.Inject(faults)
	for i := range 3 {
		p := w.NewProcess(fmt.Sprintf("c%d", i+1), sim.ProcessOptions{
			Host: fmt.Sprintf("10.0.0.%d", i+1), Offset: time.Duration(i) * ms, Rate: int64(i * 1000),
		})
		faults.processes = append(faults.processes, p)
		busyProcess(w, p)
	}
}

func busyProcess(w *sim.World, p *sim.Process) {
	ctx, cancel := context.WithCancel(context.Background())
	w.OnEnd(cancel)
	work := make(chan int)
	p.Go(func() {
		ticker := p.Clock().NewTicker(3 * ms)
		defer ticker.Stop()
		for i := range 4 {
			select {
			case <-ticker.Chan():
			case <-ctx.Done():
				return
			}
			p.Mark(0, fmt.Sprint("give ", i), func(sim.Event) {})
			select {
			case work <- i:
			case <-ctx.Done():
				return
			}
		}
		close(work)
	})
	for thread := 1; thread < 3; thread++ {
		p.Go(func() {
			for {
				select {
				case i, more := <-work:
					if !more {
						return
					}
					p.Mark(thread, fmt.Sprint("take ", i), func(sim.Event) {})
					talk(ctx, p, fmt.Sprint(p.Name(), " ", thread, " ", i))
				case <-ctx.Done():
					return
				}
			}
		})
	}
}

// talk makes a connection of its own and shares it between two goroutines.
func talk(ctx context.Context, p *sim.Process, word string) {
	c, err := p.DialContext(ctx, "tcp", address, 100*ms)
	if err != nil {
		time.Sleep(5 * ms)
		return
	}
	defer func() { _ = c.Close() }()
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = c.Write([]byte(word))
		p.Step("written", ms)
	}()
	_ = c.SetReadDeadline(time.Now().Add(10 * ms))
	_, _ = c.Read(make([]byte, 100))
	<-written
	p.Clock().Sleep(2 * ms)
}

// injector lets all sorts of things strike.
type injector struct {
	world     *sim.World
	actor     *sim.Actor
	server    *sim.Actor
	processes []*sim.Process
	budget    int
}

func (f *injector) Before(e sim.Upcoming) bool {
	if f.budget == 0 || e.Kind == sim.EventFault {
		return false
	}
	option := f.world.Choose(sim.Decision{Kind: "fault:any", Actor: f.actor.Name(), Options: 1 + 4*len(f.processes), Odds: 30})
	if option == 0 {
		return false
	}
	f.budget--
	p := f.processes[(option-1)/4]
	n := f.world.Network()
	switch (option - 1) % 4 {
	case 0:
		return p.Pause(15 * ms)
	case 1:
		n.Cut(p.Actor, f.server)
		at(f.world, f.actor, f.world.Now()+12*ms, func() { n.Heal(p.Actor, f.server) })
	case 2:
		n.Cut(f.server, p.Actor)
		at(f.world, f.actor, f.world.Now()+12*ms, func() { n.Heal(f.server, p.Actor) })
	case 3:
		for _, c := range n.Conns(p.Actor) {
			c.Reset(nil)
			return true
		}
	}
	return true
}

func TestSameTapeSameRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	runs := 60
	if testing.Short() {
		runs = 15
	}
	hashes := map[uint64]bool{}
	faults := ""
	for seed := range runs {
		runtime.GOMAXPROCS(1)
		one := run(t, randomTape(uint64(seed)), busy)
		runtime.GOMAXPROCS(2)
		two := run(t, randomTape(uint64(seed)), busy)
		same(t, fmt.Sprintf("seed %d, GOMAXPROCS 1 and 2", seed), one, two)
		same(t, fmt.Sprintf("seed %d, GOMAXPROCS 2 and 2", seed), two, run(t, randomTape(uint64(seed)), busy))
		hashes[one.Hash] = true
		for _, e := range one.Events {
			faults += string(e.Kind) + " " + e.Detail + "\n"
		}
	}
	if len(hashes) != runs {
		t.Errorf("%d seeds made %d different runs", runs, len(hashes))
	}
	for _, what := range []string{"pause", "cut", "heal", "late", "reset", "timeout", "drop", "written"} {
		if !strings.Contains(faults, what) {
			t.Errorf("no run had a %s in it", what)
		}
	}
}

func TestCalm(t *testing.T) {
	one := run(t, nil, busy)
	same(t, "nil and Calm", one, run(t, sim.Calm{}, busy))
	for _, c := range one.Choices {
		if c.Option != 0 {
			t.Errorf("the calm tape chose option %d of %s", c.Option, c.ID())
		}
	}
	for _, e := range one.Events {
		if e.Kind == sim.EventFault {
			t.Errorf("a fault in a calm run: %s", line(e))
		}
	}
	unrecorded := sim.Run(sim.Config{}, busy)
	good(t, unrecorded)
	if unrecorded.Hash != one.Hash || unrecorded.EventCount != one.EventCount || unrecorded.Simulated != one.Simulated {
		t.Errorf("recording changes the run: %+v", unrecorded)
	}
	if unrecorded.Events != nil || unrecorded.Choices != nil {
		t.Error("events or choices were kept without Record")
	}
}

// TestEventsAreOrdered: what the log promises of every run.
func TestEventsAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := run(t, randomTape(rapid.Uint64().Draw(t, "seed")), busy)
		if r.EventCount != int64(len(r.Events)) {
			t.Fatalf("%d events were counted, %d recorded", r.EventCount, len(r.Events))
		}
		last := sim.Event{}
		for _, e := range r.Events {
			if e.Seq != last.Seq+1 || e.At < last.At || e.Sent > e.At {
				t.Fatalf("out of order:\n%s\n%s", line(last), line(e))
			}
			last = e
		}
		if r.Simulated < last.At {
			t.Fatalf("%v were simulated, the last event was at %v", r.Simulated, last.At)
		}
	})
}

func TestHashSeesEverything(t *testing.T) {
	base := sim.Event{Kind: "k", Actor: "a", Peer: "p", Conn: 1, Sent: 2, Detail: "d", Payload: []byte("x")}
	hash := func(change func(*sim.Event)) uint64 {
		return run(t, nil, func(w *sim.World) {
			e := base
			change(&e)
			w.Log(e)
		}).Hash
	}
	seen := map[uint64]string{hash(func(*sim.Event) {}): "nothing"}
	changes := map[string]func(*sim.Event){
		"kind":    func(e *sim.Event) { e.Kind = "l" },
		"actor":   func(e *sim.Event) { e.Actor = "b" },
		"peer":    func(e *sim.Event) { e.Peer = "" },
		"conn":    func(e *sim.Event) { e.Conn = 2 },
		"sent":    func(e *sim.Event) { e.Sent = 3 },
		"detail":  func(e *sim.Event) { e.Detail = "dd" },
		"payload": func(e *sim.Event) { e.Payload = []byte("y") },
		"shift":   func(e *sim.Event) { e.Actor, e.Peer = "ap", "" },
	}
	for what, change := range changes {
		h := hash(change)
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same hash", what, other)
		}
		seen[h] = what
	}
}

// TestGlobalRandomness: the process-wide sources repeat with the tape.
func TestGlobalRandomness(t *testing.T) {
	reader := rand.Reader
	draw := func(seed int) string {
		var drawn []string
		setUp := func(w *sim.World) {
			client(w, "c1", func(*sim.Process) {
				for range 3 {
					n, s := globals.Seedable()
					drawn = append(drawn, fmt.Sprint(n, s))
				}
			})
		}
		tape := tapeFunc(func(d sim.Decision) int {
			if d.Actor == "world" {
				return seed
			}
			return 0
		})
		run(t, tape, setUp)
		return strings.Join(drawn, " ")
	}
	one := draw(1)
	if again := draw(1); again != one {
		t.Errorf("the same seed gave %s and %s", one, again)
	}
	if other := draw(2); other == one {
		t.Errorf("two seeds gave the same: %s", one)
	}
	if rand.Reader != reader {
		t.Error("crypto/rand's Reader is still the run's")
	}
}

// TestSeeders: other sources are seeded with the run's seed.
func TestSeeders(t *testing.T) {
	defer func(old []func(int64)) { sim.Seeders = old }(sim.Seeders)
	var seeds []int64
	sim.Seeders = append(slices.Clone(sim.Seeders), func(seed int64) { seeds = append(seeds, seed) })
	tape := tapeFunc(func(sim.Decision) int { return 7 })
	run(t, tape, func(*sim.World) {})
	run(t, nil, func(*sim.World) {})
	if !slices.Equal(seeds, []int64{7, 0}) {
		t.Errorf("seeded with %v", seeds)
	}
}

// TestRandIsPrivate: a process's streams depend on its seed, its name and the
// purpose, and on nothing else.
func TestRandIsPrivate(t *testing.T) {
	draw := func(tape sim.Tape, others int, name, purpose string) (n uint64) {
		run(t, tape, func(w *sim.World) {
			for i := range others {
				o := w.NewProcess(fmt.Sprint("other", i), sim.ProcessOptions{Host: "10.0.9.9"})
				o.Rand(purpose).Uint64()
			}
			p := w.NewProcess(name, sim.ProcessOptions{Host: "10.0.0.1"})
			p.Rand("something else").Uint64()
			n = p.Rand(purpose).Uint64()
			if again := p.Rand(purpose).Uint64(); again != n {
				t.Errorf("the second generator of one purpose began with %d, the first with %d", again, n)
			}
		})
		return n
	}
	base := draw(nil, 0, "c1", "a")
	if got := draw(nil, 5, "c1", "a"); got != base {
		t.Error("other processes shift the numbers")
	}
	for what, got := range map[string]uint64{
		"another purpose": draw(nil, 0, "c1", "b"),
		"another process": draw(nil, 0, "c2", "a"),
		"another seed":    draw(tapeFunc(func(sim.Decision) int { return 1 }), 0, "c1", "a"),
	} {
		if got == base {
			t.Errorf("%s draws the same numbers", what)
		}
	}
}

// TestIdentities: decisions of an actor are distinguished by kind and occurrence,
// whatever others do.
func TestIdentities(t *testing.T) {
	setUp := func(others int) func(w *sim.World) {
		return func(w *sim.World) {
			w.Network().SetLink(sim.Link{Base: 200 * us, Jitter: ms, Late: []sim.Lateness{{By: []time.Duration{50 * ms}, Budget: 100}}})
			echo(w)
			for i := range 2 + others {
				client(w, fmt.Sprint("c", i), func(p *sim.Process) {
					c := dialed(p)
					for range 3 {
						must(ping(c, "hello"))
					}
				})
			}
		}
	}
	of := func(r sim.Report, actor string) (list []sim.Choice) {
		for _, c := range r.Choices {
			if c.Actor == actor {
				c.After, c.Shows = 0, 0 // they are places, which others do change
				list = append(list, c)
			}
		}
		return list
	}
	counts := func(r sim.Report) {
		next := map[string]int{}
		for _, c := range r.Choices {
			if key := string(c.Kind) + "/" + c.Actor; c.Occurrence != next[key] {
				t.Errorf("%s comes after %d of its kind", c.ID(), next[key])
			} else {
				next[key]++
			}
		}
	}
	few, many := run(t, identityTape(3), setUp(0)), run(t, identityTape(3), setUp(2))
	counts(few)
	counts(many)
	for _, actor := range []string{"c0", "c1"} {
		if a, b := of(few, actor), of(many, actor); len(a) < 9 || !slices.Equal(a, b) {
			t.Errorf("two more processes changed the decisions of %s:\n%v\n%v", actor, a, b)
		}
	}
	if got := (sim.Decision{Kind: "delay", Actor: "c1", Occurrence: 17}).ID(); got != "delay/c1#17" {
		t.Errorf("ID is %s", got)
	}
}

// TestCanonicalOrder: what goroutines emit in one step does not depend on the
// order in which they ran. Here they run at the same instant, of two processes
// even, since timers of package time wake them there.
func TestCanonicalOrder(t *testing.T) {
	tests := map[string]func(p *sim.Process, thread int){
		"marks of processes": func(p *sim.Process, _ int) { p.Mark(0, p.Name(), func(sim.Event) {}) },
		"marks of threads":   func(p *sim.Process, thread int) { p.Mark(thread, fmt.Sprint(thread), func(sim.Event) {}) },
		"dials": func(p *sim.Process, thread int) {
			_, err := p.DialContext(context.Background(), "tcp", fmt.Sprintf("10.0.1.%d:7", thread+1), 0)
			must(err)
		},
		"steps": func(p *sim.Process, thread int) { p.Step(fmt.Sprint(thread), ms) },
		"first numbers": func(p *sim.Process, thread int) {
			number := int64(0)
			p.Mark(thread, "begin", func(e sim.Event) { number = e.Seq })
			p.Mark(thread, fmt.Sprint("began as ", number), func(sim.Event) {})
		},
	}
	for name, f := range tests {
		setUp := func(w *sim.World) {
			for i := range 3 {
				a := w.NewActor(fmt.Sprint("s", i))
				w.Network().Listen(fmt.Sprintf("10.0.1.%d:7", i+1), a, func(*sim.ServerConn) sim.Handler { return handler{} })
			}
			for i := range 2 {
				p := w.NewProcess(fmt.Sprint("c", i), sim.ProcessOptions{Host: "10.0.0.1"})
				for thread := range 3 {
					p.Go(func() {
						sleepUntil(10 * ms)
						dawdle()
						f(p, thread)
					})
				}
			}
		}
		first := run(t, nil, setUp)
		for range 20 {
			same(t, name, first, run(t, nil, setUp))
		}
	}
}

// TestChoose: what may be asked, and answered.
func TestChoose(t *testing.T) {
	asked := 0
	tape := tapeFunc(func(d sim.Decision) int {
		if d.Kind == "mine" {
			asked++
		}
		return d.Options - 1
	})
	run(t, tape, func(w *sim.World) {
		w.NewActor("a")
		for options, want := range []int{0, 0, 1, 2} {
			if got := w.Choose(sim.Decision{Kind: "mine", Actor: "a", Options: options}); got != want {
				t.Errorf("of %d options the last is %d", options, got)
			}
		}
	})
	if asked != 2 {
		t.Errorf("the tape was asked %d times, though two decisions had a choice", asked)
	}
}
