package sim_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// asking is what a thread does under one task: asks so many times, with a pause after each
// answer, under what name.
type asking struct {
	name  string
	times int
	pause time.Duration
}

// rowsOf runs threads of one process that ask, and returns the longest row of each task.
func rowsOf(t *testing.T, threads [][]asking) map[string]int {
	t.Helper()
	tasks := map[string]*sim.Task{}
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 10 * ms})
		server := w.NewActor("server")
		w.Network().Listen("10.0.1.1:1", server, func(s *sim.ServerConn) sim.Handler { return answers{s} })
		p := w.NewProcess("p", sim.ProcessOptions{Host: "10.0.0.1", Threads: true})
		for i, list := range threads {
			for _, a := range list {
				tasks[a.name] = &sim.Task{Name: a.name}
			}
			p.Go(func() {
				c, err := p.DialContext(context.Background(), "tcp", "10.0.1.1:1", 0)
				must(err)
				p.Step(fmt.Sprint("begin ", i), time.Duration(1+i)*ms)
				for _, a := range list {
					p.SetTask(tasks[a.name])
					for range a.times {
						must2(c.Write([]byte("x")))
						must2(c.Read(make([]byte, 8)))
						if a.pause > 0 {
							p.Step("pause", a.pause)
						}
					}
					p.SetTask(nil)
				}
			})
		}
	})
	if report.Failure != nil {
		t.Fatal(report.Failure)
	}
	rows := map[string]int{}
	for name, task := range tasks {
		rows[name] = task.BackToBack()
	}
	return rows
}

// TestBackToBack: the requests of a task are in a row if each is sent at the instant at
// which its process has the answer to the one before. What other tasks do leaves no mark.
func TestBackToBack(t *testing.T) {
	for _, e := range []struct {
		name    string
		threads [][]asking
		want    map[string]int
	}{
		{"one after the other", [][]asking{{{"a", 3, 0}, {"b", 4, ms}, {"c", 5, 0}, {"none", 0, 0}}}, map[string]int{"a": 3, "b": 1, "c": 5, "none": 0}},
		{"two that pause", [][]asking{{{"a", 100, 10 * ms}}, {{"b", 100, 9 * ms}}}, map[string]int{"a": 1, "b": 1}},
		{"one that pauses", [][]asking{{{"a", 50, 10 * ms}}, {{"b", 100, 0}}}, map[string]int{"a": 1, "b": 100}},
		{"one that does much", [][]asking{{{"a", 20, 0}, {"b", 20, 0}, {"c", 20, 0}}, {{"d", 60, 0}}}, map[string]int{"a": 20, "b": 20, "c": 20, "d": 60}},
	} {
		t.Run(e.name, func(t *testing.T) {
			if got := rowsOf(t, e.threads); !maps.Equal(got, e.want) {
				t.Errorf("the longest rows were %v, want %v", got, e.want)
			}
		})
	}
}

// TestUnaskedIsNoAnswer: who asks at once when the server tells of something has waited for
// that, and what it tells is no answer, although it carries the task. The rest of an answer is one.
func TestUnaskedIsNoAnswer(t *testing.T) {
	for owes, want := range map[bool]int{false: 1, true: 9} {
		task := &sim.Task{Name: "a"}
		report := sim.Run(sim.Config{}, func(w *sim.World) {
			server := w.NewActor("server")
			w.Network().Listen("10.0.1.1:1", server, func(s *sim.ServerConn) sim.Handler { return &tells{owing{w, s, false}, owes} })
			p := w.NewProcess("p", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				c, err := p.DialContext(context.Background(), "tcp", "10.0.1.1:1", 0)
				must(err)
				p.SetTask(task)
				for range 9 {
					must2(c.Write([]byte("x")))
					must2(c.Read(make([]byte, 1)))
					must2(c.Read(make([]byte, 1)))
				}
			})
		})
		if report.Failure != nil {
			t.Fatal(report.Failure)
		}
		if got := task.BackToBack(); got != want {
			t.Errorf("owes %v: the longest row is %d, want %d", owes, got, want)
		}
	}
}

// tells answers each request in two parts, and owes the second of them or not.
type tells struct {
	owing
	rest bool
}

func (s *tells) Receive(data []byte, task *sim.Task) {
	s.owes = s.rest
	s.owing.Receive(data, task)
}
