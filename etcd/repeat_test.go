package etcd

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/storetest"
)

// plans are those whose runs are compared.
var plans = map[string]plan{
	"calm":     calm,
	"resets":   {Clients: 2, Rounds: 2, Members: 1, Faults: []string{"reset"}, Budget: 3},
	"all":      {Clients: 2, Rounds: 2, Members: 1, Late: 1, Faults: []string{"reset", "cut", "pause", "server", "crash"}, Budget: 3},
	"election": {Clients: 2, Rounds: 2, Members: 1, Election: true, Faults: []string{"reset", "pause"}, Budget: 3},
	"leases":   {Clients: 2, Rounds: 1, Members: 1, Leases: 4, Late: 1, Faults: []string{"reset", "pause"}, Budget: 2},
	"away":     {Clients: 2, Rounds: 3, Members: 2, Faults: []string{"away", "pause"}, Budget: 4},
	"threads":  {Clients: 2, Rounds: 2, Members: 1, Threads: 3, Late: 1, Faults: []string{"reset", "cut", "pause", "server", "crash"}, Budget: 3},
	"three":    {Clients: 2, Rounds: 2, Members: 3, Late: 1, Faults: []string{"reset", "cut", "pause", "server", "crash"}, Budget: 4},
}

// TestCalm: both clients get the mutex in every round.
func TestCalm(t *testing.T) {
	r := calm.run(nil, true, nil)
	if r.Failure != nil || r.Cut != "" {
		t.Fatalf("%+v %s\n%s", r.Failure, r.Cut, list(r.Events))
	}
	acquired := 0
	for _, e := range r.Events {
		if e.Kind == sim.EventMark {
			if e.Detail == "acquire: <nil>" {
				acquired++
			}
			if !strings.HasSuffix(e.Detail, ": <nil>") {
				t.Error(e.Detail)
			}
		}
	}
	if acquired != 4 {
		t.Errorf("the mutex was acquired %d times\n%s", acquired, list(r.Events))
	}
	t.Logf("%d events, %v", r.EventCount, r.Simulated)
	if testing.Verbose() {
		t.Log(list(r.Events))
	}
}

func list(events []sim.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%d %v %s %s %s %d %s %.300q\n", e.Seq, e.At, e.Kind, e.Actor, e.Peer, e.Conn, e.Detail, e.Payload)
	}
	return b.String()
}

// TestRunsRepeat: a run is the same at GOMAXPROCS 1 and 2.
func TestRunsRepeat(t *testing.T) {
	runs := storetest.Schedules()
	for name, p := range plans {
		t.Run(name, func(t *testing.T) {
			for n := range runs {
				a, b := p.at(1, n), p.at(2, n)
				if a.Failure != nil {
					t.Fatalf("schedule %d: %+v", n, a.Failure)
				}
				if a.Hash != b.Hash {
					t.Errorf("schedule %d differs: %s", n, firstDifference(a, b))
				}
			}
		})
	}
}

// at makes a run at a GOMAXPROCS.
func (p plan) at(procs, schedule int) sim.Report {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	return p.run(randomTape(schedule), true, nil)
}

func firstDifference(a, b sim.Report) string {
	x, y := strings.Split(list(a.Events), "\n"), strings.Split(list(b.Events), "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return "\n" + x[i] + "\n" + y[i]
		}
	}
	return "in length"
}
