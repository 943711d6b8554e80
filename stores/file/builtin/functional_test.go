package builtin_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/file/builtin"
	"github.com/lockpick-dev/lockpick/storetest"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestFunctional: where nothing fails, every client gets each lock, nobody beside another, and gives it back; the store
// shows who has it.
func TestFunctional(t *testing.T) {
	const clients, rounds = 3, 4
	for _, l := range builtin.Locks() {
		t.Run(l.ID, func(t *testing.T) {
			c, err := scenarios.Registry(builtin.Locks()).Cell("contention", l.ID, []traces.Parameter{{Name: "clients", Value: strconv.Itoa(clients)}, {Name: "rounds", Value: strconv.Itoa(rounds)}})
			if err != nil {
				t.Fatal(err)
			}
			run := c.Run(explore.Run{Tape: sim.Calm{}, Record: true})
			if run.Failure != nil || len(run.Violated()) > 0 {
				t.Fatalf("%v, violations %v", run.Failure, run.Violated())
			}
			acquired, released := 0, 0
			h := &run.Recording.History
			for _, op := range h.Operations {
				switch {
				case op.Result != model.OK:
					t.Errorf("%s of %s: %s %s", op.Kind, op.Client, op.Result, op.Err)
				case op.Kind == model.Acquire:
					acquired++
				case op.Kind == model.Release:
					released++
				}
			}
			if got, want := fmt.Sprint(acquired, released), fmt.Sprint(clients*rounds, clients*rounds); got != want {
				t.Errorf("acquired and released %s times, want %s", got, want)
			}
			granted := 0
			keys := h.LockKeys(l.Reading.Ownership)
			for _, o := range h.Observations {
				if len(keys) == 1 && o.Key == keys[0] && o.Kind == model.RecordCreated {
					granted++
				}
			}
			if granted != acquired {
				t.Errorf("the server shows %d grants under %q", granted, keys)
			}
		})
	}
}

// TestScenariosThatDoNotApply: the rest applies to the file server.
func TestScenariosThatDoNotApply(t *testing.T) {
	at := slices.IndexFunc(builtin.Locks(), func(l cell.Lock) bool { return l.ID == "file-flock" })
	storetest.Lacks(t, builtin.Locks()[at],
		"there is nothing to promote in the file server",
		"no file server answers clients",
		"the file server elects no file server by itself",
		"the file server has no transactions that clients commit",
		"clients of the file server take no connections from a pool",
		"transactions of the file server do not wait for each other",
		"the files of the file server do not move from one server to another",
		"the simulation of the file server has no errors that requests have not caused")
}
