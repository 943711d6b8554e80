package scenarios_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestNodesOfLocks: a lock that needs several nodes has them in every scenario,
// and others have one.
func TestNodesOfLocks(t *testing.T) {
	for _, test := range []struct {
		lock string
		set  []traces.Parameter
		want int
	}{
		{"setpx", nil, 0},
		{"test-quorum", nil, 3},
		{"test-quorum", []traces.Parameter{{Name: "nodes", Value: "5"}}, 5},
		{"test-quorum", []traces.Parameter{{Name: "nodes", Value: "0"}}, 0},
	} {
		c, err := scenarios.Registry(cells.Locks()).Cell("contention", test.lock, test.set)
		if err != nil || c.Params.Servers != test.want {
			t.Errorf("%+v: %d nodes, %v", test, c.Params.Servers, err)
			continue
		}
		if again, err := scenarios.Registry(cells.Locks()).Decode(c.Encode()); err != nil || !reflect.DeepEqual(again.Params, c.Params) {
			t.Errorf("%+v: decoded %+v, %v", test, again.Params, err)
		}
	}
}

// TestWholeCells: what a cell leaves out of its list is zero for whoever decodes
// it, whatever the scenario's defaults are.
func TestWholeCells(t *testing.T) {
	c := cells.Of(t, "partition", "setpx", "partitions", "0")
	again, err := scenarios.Registry(cells.Locks()).Decode(c.Encode())
	if err != nil || again.Params.Faults.Of(faults.Partitions) != 0 {
		t.Errorf("%+v, %v", again.Params, err)
	}
}

// TestRedisNodes: a client's options lead to different servers, of which Redis
// is the first, and editing them changes nobody else's.
func TestRedisNodes(t *testing.T) {
	var addresses []string
	c := cells.Of(t, "contention", "setpx", "nodes", "3", "clients", "1")
	inner := c.Lock
	c.Lock.Subject = cell.Mutex(func(client *cell.Client) lock.Locker {
		list := redisstore.AllOptions(client)
		for _, o := range list {
			addresses = append(addresses, o.Addr)
			o.Addr = "10.9.9.9:1"
		}
		if again := redisstore.AllOptions(client); again[0].Addr != redisstore.Options(client).Addr || again[0].Addr != addresses[0] || again[0] == list[0] {
			t.Errorf("%q, %q, want %q", again[0].Addr, redisstore.Options(client).Addr, addresses[0])
		}
		return inner.Construct(client).(lock.Locker)
	})
	if out := c.Run(explore.Run{}); out.Failure != nil {
		t.Fatal(out.Failure)
	}
	slices.Sort(addresses)
	if len(slices.Compact(addresses)) != 3 {
		t.Errorf("%q", addresses)
	}
}

func TestActorsOfNodes(t *testing.T) {
	c := cells.Of(t, "contention", "setpx", "nodes", "2", "replicas", "2", "clients", "1")
	var list []string
	for _, a := range c.Actors() {
		list = append(list, a.Name)
	}
	if got := strings.Join(list, " "); got != "c1 redis1 redis3 redis4 redis2 redis5 redis6 resource" {
		t.Error(got)
	}
	first := map[string]bool{}
	for _, o := range c.Run(explore.Run{Record: true}).Recording.History.Observations {
		if o.Key == "lock" && o.Kind == model.RecordCreated {
			first[o.Node] = true
		}
	}
	if got := slices.Sorted(maps.Keys(first)); !slices.Equal(got, []string{"redis1", "redis3", "redis4"}) {
		t.Errorf("a lock on one node is on %q", got)
	}
}

// TestQuorum: a lock by quorum has no trouble where no node forgets: under
// contention, when the network is parted, and when nodes restart with their
// data.
func TestQuorum(t *testing.T) {
	slowtest.SkipIfShort(t)
	schedules := 400
	if testing.Short() {
		schedules = 50
	}
	allKept := func(option int) int { // of three options for each node the first
		if option == 0 {
			return 0
		}
		return option - (option-1)%3
	}
	for _, test := range []struct {
		scenario string
		fixed    map[sim.Kind]func(int) int
	}{
		{"contention", nil},
		{"partition", map[sim.Kind]func(int) int{"fault:partition-promotes": always(0)}},
		{"node-restart", map[sim.Kind]func(int) int{"fault:restart": allKept}},
	} {
		t.Run(test.scenario, func(t *testing.T) {
			c := cells.Of(t, test.scenario, "test-quorum")
			var happened uint64
			searched(t, c, schedules, test.fixed, func(out explore.Outcome) bool {
				happened |= out.Happened
				for _, v := range out.Verdicts {
					if v.Status == model.Violated || v.Status == model.Undecided {
						t.Errorf("%s is %s: %s", v.Property, v.Status, v.Sentence)
					}
				}
				return t.Failed()
			})
			if happened == 0 {
				t.Error("vacuous: nothing happened")
			}
		})
	}
}

// TestQuorumSurvivesOneNode: whichever node fails over or restarts, wherever in
// a run that is calm otherwise, the others are enough.
func TestQuorumSurvivesOneNode(t *testing.T) {
	if testing.Short() {
		t.Skip("searches two bounds whole")
	}
	for _, test := range []struct{ scenario, budget string }{{"failover-loss", "failovers"}, {"node-restart", "restarts"}} {
		c := cells.Of(t, test.scenario, "test-quorum", "rounds", "1", test.budget, "1")
		sum := exhaust(t, c, 1, false)
		if len(sum.Violations) > 0 {
			t.Errorf("%s: %v", test.scenario, sum.Violations)
		}
		t.Logf("%s: %d schedules", test.scenario, sum.Schedules)
	}
}

// TestQuorumOfNodesThatForget: a majority that has forgotten gives the lock away
// again.
func TestQuorumOfNodesThatForget(t *testing.T) {
	firstOf(t, cells.Of(t, "node-restart", "test-quorum", "restarts", "2"), 1, checker.MutualExclusion)
}

// TestFaultsStrikeAllNodes: of several servers every one can be struck by every
// fault.
func TestFaultsStrikeAllNodes(t *testing.T) {
	for _, test := range []struct {
		scenario string
		struck   model.ObservationKind
	}{
		{"failover-loss", model.Crashed},
		{"node-restart", model.Crashed},
		{"partition", model.Parted},
	} {
		c := cells.Of(t, test.scenario, "test-quorum", "rounds", "1")
		nodes := map[string]bool{}
		searched(t, c, budget, nil, func(out explore.Outcome) bool {
			for _, o := range out.Recording.History.Observations {
				if o.Kind == test.struck {
					nodes[o.Node] = true
				}
			}
			return len(nodes) == 3
		})
		if got := slices.Sorted(maps.Keys(nodes)); !slices.Equal(got, []string{"redis1", "redis2", "redis3"}) {
			t.Errorf("%s strikes %q only", test.scenario, got)
		}
	}
}

// TestRunsOfNodesRepeat is TestRunsRepeat for a lock on several nodes.
func TestRunsOfNodesRepeat(t *testing.T) {
	slowtest.SkipIfShort(t)
	schedules := 200
	if testing.Short() {
		schedules = 4
	}
	for _, s := range scenarios.All() {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			repeat(t, cells.Of(t, s.ID, "test-quorum", "resets", "10"), schedules)
		})
	}
}
