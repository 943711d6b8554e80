package redis_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces"
)

// deployed is a cell of a sound lock over servers that are deployed in a way.
func deployed(t testing.TB, scenario, topology string, params ...traces.Parameter) cell.Cell {
	t.Helper()
	setpx := cell.Lock{ID: "setpx", Store: redisstore.Store, Subject: locktest.Mutex(func(c *locktest.Client) lock.Locker {
		return redislocks.NewSetPX(redisstore.Universal(c, nil), c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
	})}
	c, err := scenarios.Registry([]cell.Lock{setpx}).Cell(scenario, "setpx", append(params, traces.Parameter{Name: "topology", Value: topology}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTopologies: in a search nobody fails to get the lock that is free, somebody is promoted by decision
// of sentinels or masters, and whoever had the lock on the old primary only is a limit of leases, and no
// fault of the lock.
func TestTopologies(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, topology := range []string{"sentinel", "cluster"} {
		t.Run(topology, func(t *testing.T) {
			c := deployed(t, "hung-node", topology)
			promoted, limits := 0, 0
			for n := range 120 {
				out := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
				if out.Failure != nil {
					t.Fatalf("schedule %d: %s\n%s", n, out.Failure.Reason, out.Failure.Stack)
				}
				for _, o := range out.Recording.History.Observations {
					if o.Kind == model.Promoted && o.Epoch > 0 {
						promoted++
					}
				}
				for _, v := range out.Verdicts {
					switch {
					case v.Status != model.Violated || v.Property == "truthful-acquire":
					case v.Limit:
						limits++
					case !strings.HasPrefix(v.Property, "late-") && v.Property != "release-denied":
						t.Errorf("schedule %d: %s: %s", n, v.Property, v.Sentence)
					}
				}
			}
			if promoted == 0 {
				t.Error("nobody was promoted")
			}
			t.Logf("%d promotions, and %d violations that are limits: how many depends on the client's time-outs", promoted, limits)
		})
	}
}

// violated is the first of some runs that violates a property.
func violated(t *testing.T, c cell.Cell) (out explore.Outcome, property string) {
	t.Helper()
	for n := range 300 {
		out := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
		for _, v := range out.Verdicts {
			if v.Status == model.Violated {
				return out, v.Property
			}
		}
	}
	t.Fatal("no run violates a property")
	return out, ""
}

// TestTopologyTraces: a recorded run is read back, replays to the same bytes, and has a lane for each sentinel.
func TestTopologyTraces(t *testing.T) {
	slowtest.SkipIfShort(t)
	for topology, electors := range map[string]int{"sentinel": 3, "cluster": 0} { // unordered: each is a test of its own
		c := deployed(t, "election", topology)
		out, property := violated(t, c)
		kept := c.Trace(1, 0, property, out)
		var file bytes.Buffer
		if err := traces.Encode(&file, kept); err != nil {
			t.Fatal(err)
		}
		read, err := traces.Decode(&file)
		if err != nil {
			t.Fatalf("%s: %v", topology, err)
		}
		again, err := scenarios.Registry([]cell.Lock{c.Lock}).Of(read)
		if err != nil {
			t.Fatalf("%s: %v", topology, err)
		}
		if same := again.Run(explore.Run{Tape: explore.NewLenient(read.Tape), Record: true}); same.Hash != out.Hash {
			t.Errorf("%s: the trace replays to the hash %x, and was %x", topology, same.Hash, out.Hash)
		}
		n := 0
		for _, a := range read.Actors {
			if a.Kind == traces.ElectorActor && a.Noun == "sentinel" {
				n++
			}
		}
		if n != electors {
			t.Errorf("%s: %d lanes of sentinels, want %d", topology, n, electors)
		}
	}
}

// TestTopologyRefuses: what cannot be is refused with the reason.
func TestTopologyRefuses(t *testing.T) {
	c := deployed(t, "contention", "sentinel")
	if err := c.Set("topology", "ring"); err == nil || !strings.Contains(err.Error(), "replicas, sentinel or cluster") {
		t.Errorf("an unknown topology: %v", err)
	}
	if err := c.Set("nodes", "3"); err != nil {
		t.Fatal(err)
	}
	if err := c.Deploy("cluster"); err == nil || !strings.Contains(err.Error(), "nodes=3 needs topology=replicas") {
		t.Errorf("several independent clusters: %v", err)
	}
}
