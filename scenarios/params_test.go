package scenarios_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestParamsRoundTrip shows that what a trace says of the parameters is enough
// to set them again.
func TestParamsRoundTrip(t *testing.T) {
	settings := cell.Registry{}.Settings(redis.Store)
	for _, s := range scenarios.All() {
		if s.Lacks != nil && s.Lacks(redis.Store, s.Params) != "" {
			continue // its parameters may be another store's
		}
		var p cell.Params
		if err := settings.SetAll(&p, settings.List(s.Params)); err != nil || !reflect.DeepEqual(p, s.Params) {
			t.Errorf("%s: %+v becomes %+v, %v", s.ID, s.Params, p, err)
		}
	}
}

func TestParamsRefuse(t *testing.T) {
	for _, test := range []struct{ name, value, says string }{
		{"clients", "0", "from 1 to 16"},
		{"clients", "17", "from 1 to 16"},
		{"rounds", "many", "want a number"},
		{"rounds", "", "want a number"},
		{"delays", "-1", "from 0 to 64"},
		{"ttl", "2", "want a duration"},
		{"ttl", "99ms", "want a duration"},
		{"ttl", "16s", "want a duration"},
		{"magnitude", "1", "there are ttl, lease, clients, rounds, topology, replicas, nodes, min-replicas, preferred, down-after, redis-version, connections, threads, again, long-holds, sizes, checks, weak, events, cancels, pauses"},
	} {
		c := cell.Cell{Lock: cell.Lock{Store: redis.Store}}
		if err := c.Set(test.name, test.value); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s=%q: %v, want %q", test.name, test.value, err, test.says)
		}
	}
}

// TestReplicasOfLocks: a lock that needs replicas has them in every scenario,
// unless somebody asks for another number; for other locks nothing changes.
func TestReplicasOfLocks(t *testing.T) {
	for _, test := range []struct {
		scenario, lock string
		set            []traces.Parameter
		want           int
	}{
		{"gc-pause", "setpx", nil, 0},
		{"gc-pause", "setpx-wait", nil, 1},
		{"failover-loss", "setpx-wait", nil, 1},
		{"gc-pause", "setpx-wait", []traces.Parameter{{Name: "replicas", Value: "0"}}, 0},
		{"gc-pause", "setpx-wait", []traces.Parameter{{Name: "replicas", Value: "3"}}, 3},
	} {
		c, err := scenarios.Registry(builtin.Locks()).Cell(test.scenario, test.lock, test.set)
		if err != nil || c.Params.Followers != test.want {
			t.Errorf("%+v: %d replicas, %v", test, c.Params.Followers, err)
		}
	}
}

// TestScenarios holds every scenario to what its users rely on.
func TestScenarios(t *testing.T) {
	for _, s := range scenarios.All() {
		found, err := scenarios.Find(s.ID)
		if err != nil || found != s {
			t.Errorf("%s: Find gives %v, %v", s.ID, found, err)
		}
		if s.Summary == "" || len(s.Happenings) == 0 {
			t.Errorf("%s has no summary, or nothing that must happen", s.ID)
		}
	}
	if _, err := scenarios.Find("none"); err == nil {
		t.Error("there is a scenario none")
	}
	if _, err := scenarios.Registry(builtin.Locks()).Lock("none"); err == nil {
		t.Error("there is a lock none")
	}
}

// TestRareParams: a parameter that most scenarios have no use for is not listed
// where it is 0, and stays 0 where the scenario has another default.
func TestRareParams(t *testing.T) {
	none := cells.Of(t, "holder-crash", "setpx", "crashes", "0")
	for _, p := range none.Parameters() {
		if p.Name == "crashes" {
			t.Errorf("listed: %v", p)
		}
	}
	again, err := scenarios.Registry(builtin.Locks()).Decode(none.Encode())
	if err != nil || !reflect.DeepEqual(again.Params, none.Params) {
		t.Errorf("%+v becomes %+v, %v", none.Params, again.Params, err)
	}
	if list := none.Settings(); len(list) != 1 || list[0] != (traces.Parameter{Name: "crashes", Value: "0"}) {
		t.Errorf("set are %v", list)
	}
	usual := cells.Of(t, "holder-crash", "setpx")
	if list := usual.Settings(); len(list) != 0 || usual.Params.Faults.Of(faults.Crashes) != 1 {
		t.Errorf("%+v, set are %v", usual.Params, list)
	}
}
