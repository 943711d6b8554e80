package builtin_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/file/builtin"
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

// TestScenariosThatDoNotApply: the rest applies to the file server, and these say why not.
func TestScenariosThatDoNotApply(t *testing.T) {
	not := map[string]string{
		"failover-loss":  "there is nothing to promote in the file server",
		"stale-follower": "no file server answers clients",
		"election":       "the file server elects no file server by itself",
		"lost-commit":    "the file server has no transactions that clients commit",
		"pool-exhausted": "clients of the file server take no connections from a pool",
		"deadlock":       "transactions of the file server do not wait for each other",
		"two-masters":    "the file server elects no file server by itself",
		"switchover":     "the file server elects no file server by itself",
		"migration":      "the files of the file server do not move from one server to another",
	}
	for _, s := range scenarios.All() {
		c, err := scenarios.Registry(builtin.Locks()).Cell(s.ID, "file-flock", nil)
		if err != nil {
			t.Fatal(err)
		}
		if lacks := c.Lacks(); lacks != not[s.ID] {
			t.Errorf("%s lacks %q, want %q", s.ID, lacks, not[s.ID])
		}
	}
}
