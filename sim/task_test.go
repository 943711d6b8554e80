package sim_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestTaskOfAnother: what another goroutine sends in the step in which the thread ends
// its task, or goes over to the next one, goes with the last task of that step,
// whichever of the two the scheduler lets go first; what the thread's own sends goes
// with the task that it has then.
func TestTaskOfAnother(t *testing.T) {
	for name, test := range map[string]struct {
		own  bool
		next []*sim.Task
		want string
	}{
		"the task ends":                {false, []*sim.Task{nil}, "x: 1"},
		"the next begins":              {false, []*sim.Task{nil, {ID: 2}}, "x: 2"},
		"the next begins and ends":     {false, []*sim.Task{nil, {ID: 2}, nil}, "x: 2"},
		"its own, behind the end":      {true, []*sim.Task{nil}, "x: none"},
		"its own, in the next":         {true, []*sim.Task{nil, {ID: 2}}, "x: 2"},
		"nothing changes":              {false, nil, "x: 1"},
		"its own, and nothing changes": {true, nil, "x: 1"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, o := range []sim.ProcessOptions{{}, {Threads: true}} {
				for range 40 {
					if got := taskOfAnother(t, o, test.own, test.next); got != test.want {
						t.Fatalf("with %+v it goes with %q, want %q", o, got, test.want)
					}
				}
			}
		})
	}
}

// taskOfAnother has a thread say what it is busy with next, and in the same step
// itself or another goroutine write. It returns the task that the request goes with.
func taskOfAnother(t *testing.T, o sim.ProcessOptions, own bool, next []*sim.Task) string {
	t.Helper()
	var got []string
	run(t, nil, func(w *sim.World) {
		w.Network().Listen(address, w.NewActor("server"), func(*sim.ServerConn) sim.Handler { return taskHandler{&got} })
		o.Host = "10.0.0.1"
		p := w.NewProcess("c1", o)
		p.Go(func() {
			c := dialed(p)
			p.SetTask(&sim.Task{ID: 1})
			p.Step("work", ms)
			var all sync.WaitGroup
			if !own {
				all.Go(func() { dawdle(); must2(c.Write([]byte("x"))) })
			}
			dawdle()
			for _, task := range next {
				p.SetTask(task)
			}
			if own {
				must2(c.Write([]byte("x")))
			}
			all.Wait()
			p.Step("wait", 10*ms)
		})
	})
	return strings.Join(got, ", ")
}
