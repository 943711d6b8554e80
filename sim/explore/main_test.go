package explore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/testdata/globals"
)

const (
	asWorker = "LOCKPICK_TEST_WORKER"
	onceFile = "LOCKPICK_TEST_ONCE"
	realAddr = "LOCKPICK_TEST_ADDRESS"
)

// TestMain makes this binary a worker, too.
func TestMain(m *testing.M) {
	if os.Getenv(asWorker) == "" {
		code := m.Run()
		kept.Close()
		os.Exit(code)
	}
	serve := ServeStdio
	switch os.Getenv(asWorker) {
	case "pipes":
		KeepAside()
		fmt.Println("what a program prints before it serves")
		serve = ServePipes
	case "astray":
		fmt.Println("something else was to be done")
		return
	}
	if err := serve(resolve); err != nil {
		fmt.Fprintln(os.Stderr, "simrun:", err)
		os.Exit(2)
	}
}

// kept are the workers of self that wait: to start one takes as long as dozens of runs.
var kept Kept

// self is this binary as a worker. Tests share its processes.
func self(t testing.TB) Worker {
	w, err := Self("-test.run=^$")
	if err != nil {
		t.Fatal(err)
	}
	w.Env = []string{asWorker + "=1", "GORACE=atexit_sleep_ms=0"} // the race detector would sleep a second at every exit
	w.Kept = &kept
	return w
}

// cell is what workers of these tests run: the run draws a number below ten
// and, if it is When, does something.
type cell struct {
	Do   string `json:"do"`
	When int    `json:"when"`
}

const always = -1

func (c cell) json() json.RawMessage {
	raw, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return raw
}

func resolve(raw json.RawMessage) (Runner, error) {
	var c struct {
		cell
		Toy *toy `json:"toy"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	if c.Toy != nil {
		return c.Toy.run, nil
	}
	if c.Do != "" && deeds[c.Do] == nil {
		return nil, fmt.Errorf("nothing is called %q", c.Do)
	}
	return c.run, nil
}

var question = sim.Decision{Kind: "number", Actor: "a", Options: 10}

// draw is the number that a schedule draws.
func draw(seed uint64, schedule int) int { return Random(seed, schedule).Choose(question) }

func (c cell) run(how Run) Outcome {
	n := how.Tape.Choose(question)
	if c.Do != "" && (n == c.When || c.When == always) {
		return deeds[c.Do](n, how)
	}
	return plain(n, how)
}

// plain is a run that is over at once.
func plain(n int, how Run) Outcome {
	o := Outcome{
		Hash: uint64(n) + 1, Events: 2, Simulated: time.Millisecond, Happened: 1 << n,
		Verdicts: []model.Verdict{{Property: "p", Status: model.Holds}, {Property: "q", Status: model.NotApplicable}},
	}
	if how.Record {
		o.Recording = &Recording{
			Events:  []sim.Event{{Seq: 1, Kind: sim.EventStep, Actor: "a"}, {Seq: 2, Kind: sim.EventNote, Actor: "a", Detail: fmt.Sprint(n)}},
			Choices: []sim.Choice{{Kind: question.Kind, Actor: question.Actor, Options: question.Options, Option: n}},
		}
	}
	return o
}

type deed func(n int, how Run) Outcome

var deeds = map[string]deed{
	"violate p": func(n int, how Run) Outcome {
		o := plain(n, how)
		o.Verdicts[0].Status = model.Violated
		return o
	},
	"violate p and q": func(n int, how Run) Outcome {
		o := plain(n, how)
		o.Verdicts[0].Status, o.Verdicts[1].Status = model.Violated, model.Violated
		return o
	},
	"be undecided": func(n int, how Run) Outcome {
		o := plain(n, how)
		o.Verdicts[0].Status = model.Undecided
		return o
	},
	"ask more": func(n int, how Run) Outcome {
		how.Tape.Choose(sim.Decision{Kind: "more", Actor: "a", Options: 2})
		return plain(n, how)
	},
	"exit": func(int, Run) Outcome {
		os.Exit(3)
		return Outcome{}
	},
	"be killed once": func(n int, how Run) Outcome {
		if _, err := os.Stat(os.Getenv(onceFile)); err != nil {
			if err := os.WriteFile(os.Getenv(onceFile), nil, 0o666); err != nil {
				panic(err)
			}
			os.Exit(9)
		}
		return plain(n, how)
	},
	"exit well": func(int, Run) Outcome {
		os.Exit(0)
		return Outcome{}
	},
	"print": func(n int, how Run) Outcome {
		fmt.Println("got the lock")
		return plain(n, how)
	},
	"print and record": func(n int, how Run) Outcome {
		kept := os.Stderr
		log.SetOutput(kept)
		fmt.Println("printed")
		log.Println("logged")
		println("by the runtime")
		fmt.Fprintln(kept, "by a kept file")
		o := plain(n, how)
		if how.Printed != nil {
			for text := how.Printed(); len(text) > 0; text = how.Printed() {
				o.Recording.Remarks = append(o.Recording.Remarks, sim.Remark{Line: string(text)})
			}
		}
		return o
	},
	"last words": func(int, Run) Outcome {
		log.Fatal("these are the last words")
		return Outcome{}
	},
	"print without end": func(int, Run) Outcome {
		for text := bytes.Repeat([]byte("spam\n"), 10_000); ; {
			os.Stderr.Write(text)
		}
	},
	"panic": func(int, Run) Outcome {
		go panic("boom")
		select {}
	},
	"write a map": func(int, Run) Outcome {
		shared := map[int]int{}
		write := func() {
			for i := 0; ; i++ {
				shared[i%1000] = i
			}
		}
		go write()
		write()
		panic("unreachable")
	},
	"change its mind": func(n int, how Run) Outcome {
		o := plain(n, how)
		o.Hash, o.Verdicts[0].Status = globals.Unseedable(), model.Violated
		return o
	},
	"be shy": func(n int, how Run) Outcome {
		o := plain(n, how)
		if !how.Record {
			o.Hash, o.Verdicts[0].Status = o.Hash+1000, model.Violated
		}
		return o
	},
	"differ once": func(n int, how Run) Outcome { // where it was found
		o := plain(n, how)
		o.Verdicts[0].Status = model.Violated
		if !how.Record {
			o.Hash += 1000
		}
		return o
	},
	"differ once again": func(n int, how Run) Outcome { // where it is confirmed
		o := plain(n, how)
		o.Verdicts[0].Status = model.Violated
		if _, err := os.Stat(os.Getenv(onceFile)); err != nil && how.Record {
			if err := os.WriteFile(os.Getenv(onceFile), nil, 0o666); err != nil {
				panic(err)
			}
			o.Hash, o.Verdicts[0].Status = o.Hash+1000, model.Holds
		}
		return o
	},
	"differ by process": func(n int, how Run) Outcome {
		o := plain(n, how)
		o.Hash, o.Verdicts[0].Status = uint64(os.Getpid()), model.Violated
		return o
	},
	"hold a mutex":      inWorld(holdMutex),
	"spin":              inWorld(func(*sim.Process) { spin() }),
	"leak":              inWorld(func(*sim.Process) { go func() { <-make(chan int) }() }),
	"panic in workload": inWorld(func(*sim.Process) { panic("boom") }),
	"dial":              dialReal,
	"sit beside one who dials": func(n int, how Run) Outcome {
		dialedAside()
		return plain(n, how)
	},
	"take some steps": inWorld(func(p *sim.Process) {
		for range 9 {
			p.Step("on", time.Millisecond)
		}
	}),
	"draw at random": inWorld(func(p *sim.Process) { p.Step(fmt.Sprint(globals.Unseedable()), time.Millisecond) }),
}

// inWorld makes a real run of a workload.
func inWorld(workload func(*sim.Process)) deed {
	return func(_ int, how Run) Outcome {
		r := sim.Run(sim.Config{Tape: how.Tape, Record: how.Record, Progress: how.Progress}, func(w *sim.World) {
			w.Network().Listen("10.0.1.1:7", w.NewActor("server"), func(*sim.ServerConn) sim.Handler { return silent{} })
			p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() { workload(p) })
		})
		return Outcome{
			Hash: r.Hash, Events: r.EventCount, Simulated: r.Simulated, Failure: r.Failure,
			Recording: &Recording{Events: r.Events, Choices: r.Choices},
			Verdicts:  []model.Verdict{{Property: "p", Status: model.Violated}},
		}
	}
}

type silent struct{}

func (silent) Receive([]byte, *sim.Task) {}
func (silent) Gone()                     {}

// cart is a lock-protected thing whose owner waits for the network with the
// lock held.
type cart struct {
	mu   sync.Mutex
	conn net.Conn
}

func (c *cart) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.conn.Read(make([]byte, 1))
}

func holdMutex(p *sim.Process) {
	conn, err := p.DialContext(context.Background(), "tcp", "10.0.1.1:7", 0)
	if err != nil {
		panic(err)
	}
	c := &cart{conn: conn}
	go c.add()
	p.Step("wait", time.Millisecond)
	c.add()
}

// dialReal dials a real address, and draws once more.
func dialReal(n int, how Run) Outcome {
	return inWorld(func(*sim.Process) {
		if conn, err := net.Dial("tcp", os.Getenv(realAddr)); err == nil {
			defer conn.Close() // nothing was sent
		}
		how.Tape.Choose(question) // the conductor waits
	})(n, how)
}

// dialedAside dials in another goroutine of this process while a run is made.
var dialedAside = sync.OnceFunc(func() { _, _ = net.Dial("tcp", os.Getenv(realAddr)) })

func spin() {
	for i := 0; ; i++ {
		sink.Store(int64(i))
	}
}

var sink atomic.Int64
