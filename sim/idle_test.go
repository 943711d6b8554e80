package sim_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestIdle: a process is idle while it neither connects nor waits for an answer
// nor is paused.
func TestIdle(t *testing.T) {
	const ms = time.Millisecond
	var p *sim.Process
	idle := map[string]time.Duration{}
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 10 * ms})
		server := w.NewActor("server")
		w.Network().Listen("10.0.1.1:1", server, func(s *sim.ServerConn) sim.Handler { return answers{s} })
		p = w.NewProcess("p", sim.ProcessOptions{Host: "10.0.0.1"})
		mark := func(what string) { p.Mark(0, what, func(sim.Event) { idle[what] = p.Idle() }) }
		p.Go(func() {
			mark("begin")
			p.Step("work", 100*ms)
			mark("worked")
			c, err := p.DialContext(context.Background(), "tcp", "10.0.1.1:1", 0)
			if err != nil {
				t.Error(err)
				return
			}
			mark("connected")
			b := make([]byte, 8)
			_, _ = c.Write([]byte("x"))
			_, _ = c.Read(b)
			mark("answered")
			_ = c.SetReadDeadline(time.Now().Add(50 * ms))
			_, _ = c.Read(b) // nobody was asked
			mark("listened")
			_, _ = c.Write([]byte("silence"))
			_ = c.SetReadDeadline(time.Now().Add(50 * ms))
			_, _ = c.Read(b)
			mark("timed out")
			_ = c.Close()
			p.Step("work", 100*ms)
			mark("worked again")
		})
		w.At(server, 30*ms, sim.EventFault, sim.EventOptions{}, func() { p.Pause(40 * ms) })
	})
	if report.Failure != nil {
		t.Fatal(report.Failure)
	}
	for _, e := range []struct {
		from, to string
		want     time.Duration
	}{
		{"begin", "worked", 60 * ms}, {"worked", "connected", 0}, {"connected", "answered", 0},
		{"answered", "listened", 50 * ms}, {"listened", "timed out", 0}, {"timed out", "worked again", 100 * ms},
	} {
		if got := idle[e.to] - idle[e.from]; (got - e.want).Abs() > ms {
			t.Errorf("from %s to %s it idled for %v, want %v", e.from, e.to, got, e.want)
		}
	}
}

// TestDeadIsNotIdle: a process that is killed idles until then, paused or not.
func TestDeadIsNotIdle(t *testing.T) {
	const ms = time.Millisecond
	for _, paused := range []bool{false, true} {
		var p *sim.Process
		sim.Run(sim.Config{}, func(w *sim.World) {
			faults := w.NewActor("faults")
			p = w.NewProcess("p", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() { p.Step("work", time.Hour) })
			if paused {
				w.At(faults, 20*ms, sim.EventFault, sim.EventOptions{}, func() { p.Pause(time.Second) })
			}
			w.At(faults, 30*ms, sim.EventFault, sim.EventOptions{}, p.Kill)
			w.At(faults, 5*time.Second, sim.EventFault, sim.EventOptions{Vital: true}, func() {})
		})
		want := 30 * ms
		if paused {
			want = 20 * ms
		}
		if got := p.Idle(); got != want {
			t.Errorf("paused %v: it idled for %v, want %v", paused, got, want)
		}
	}
}

// TestOwedIsNotIdle: who has had the answer to one of two requests waits for the
// other.
func TestOwedIsNotIdle(t *testing.T) {
	const ms = time.Millisecond
	for _, owes := range []bool{true, false} {
		var idle time.Duration
		sim.Run(sim.Config{}, func(w *sim.World) {
			server := w.NewActor("server")
			w.Network().Listen("10.0.1.1:1", server, func(s *sim.ServerConn) sim.Handler { return &owing{w, s, owes} })
			p := w.NewProcess("p", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				c, err := p.DialContext(context.Background(), "tcp", "10.0.1.1:1", 0)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = c.Write([]byte("xy"))
				b := make([]byte, 1)
				_, _ = c.Read(b)
				_, _ = c.Read(b)
				p.Mark(0, "answered", func(sim.Event) { idle = p.Idle() })
				_ = c.Close()
			})
		})
		want := 50 * ms
		if owes {
			want = 0
		}
		if (idle - want).Abs() > ms {
			t.Errorf("owes %v: idle for %v, want %v", owes, idle, want)
		}
	}
}

// owing answers in two parts, the second one later.
type owing struct {
	w *sim.World
	*sim.ServerConn
	owes bool
}

func (o *owing) Receive(_ []byte, task *sim.Task) {
	o.Send(0, []byte("x"), task)
	actor := o.Client().Actor
	o.w.At(actor, o.w.Now()+50*time.Millisecond, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		o.owes = false
		o.Send(0, []byte("y"), task)
	})
}

func (*owing) Gone() {}

func (o *owing) Owes() bool { return o.owes }

// answers is a server that answers what is short.
type answers struct{ *sim.ServerConn }

func (a answers) Receive(data []byte, task *sim.Task) {
	if len(data) == 1 {
		a.Send(0, data, task)
	}
}

func (answers) Gone() {}

// TestIdleBetweenAnswers: a request is under way although an answer comes after it was sent,
// if that is the answer to an earlier one.
func TestIdleBetweenAnswers(t *testing.T) {
	const ms = time.Millisecond
	var before, after time.Duration
	sim.Run(sim.Config{}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 10 * ms})
		server := w.NewActor("server")
		w.Network().Listen("10.0.1.1:1", server, func(s *sim.ServerConn) sim.Handler { return slower{w, s} })
		p := w.NewProcess("p", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			c, err := p.DialContext(context.Background(), "tcp", "10.0.1.1:1", 0)
			if err != nil {
				t.Error(err)
				return
			}
			p.Mark(0, "connected", func(sim.Event) { before = p.Idle() })
			_, _ = c.Write([]byte("a"))
			p.Step("work", 15*ms) // by then the answer is on its way
			_, _ = c.Write([]byte("b"))
			_, _ = io.ReadFull(c, make([]byte, 2))
			p.Mark(0, "answered", func(sim.Event) { after = p.Idle() })
			_ = c.Close()
		})
	})
	if after-before > ms {
		t.Errorf("it idled for %v while a request was under way", after-before)
	}
}

// slower answers a first request at once, and others later.
type slower struct {
	w *sim.World
	*sim.ServerConn
}

func (s slower) Receive(data []byte, task *sim.Task) {
	if data[0] == 'a' {
		s.Send(0, data, task)
		return
	}
	s.w.At(s.Client().Actor, s.w.Now()+50*time.Millisecond, sim.EventFault, sim.EventOptions{Vital: true}, func() { s.Send(0, data, task) })
}

func (slower) Gone() {}
