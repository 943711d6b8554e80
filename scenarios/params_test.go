package scenarios_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

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
		{"pause", "0s", "from 1ms to 20s"},
		{"rtt", "3s", "from 1ms to 2s"},
		{"drift", "500001", "from 0 to 500000"},
		{"magnitude", "1", "there are ttl, lease, pause, rtt, clients, rounds, topology, replicas, nodes, min-replicas, preferred, down-after, redis-version, connections, threads, again, long-holds, sizes, drift, checks, weak, events, cancels, pauses"},
	} {
		c := cell.Cell{Lock: cell.Lock{Store: redis.Store}}
		if err := c.Set(test.name, test.value); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s=%q: %v, want %q", test.name, test.value, err, test.says)
		}
	}
}

// TestTimes: a pause lasts as long as pause says, a segment no longer than half of rtt, a clock is as wrong as drift says; and a
// trace of such a run has them.
func TestTimes(t *testing.T) {
	c := cells.Of(t, "gc-pause", "setpx", "pause", "1.2s", "rtt", "40ms", "drift", "1000", "skews", "1")
	if l := faults.Pauses.Lasts(c.Params, redis.Store.Timing()); l.Count() != 1 || l.Longest(time.Minute) != 1200*time.Millisecond {
		t.Errorf("pauses last %v", l.Texts())
	}
	if most := c.Params.Jitter(); most != 20*time.Millisecond-200*time.Microsecond {
		t.Errorf("a segment takes up to %v longer than the least", most)
	}
	if usual := (cell.Params{}).Jitter(); usual != time.Millisecond {
		t.Errorf("a segment usually takes up to %v longer than the least", usual)
	}
	if texts := faults.Skews.Classes(c.Params, redis.Store.Terms()); len(texts) != 2 || !strings.Contains(texts[0]+texts[1], "0.1") {
		t.Errorf("clocks are off: %q", texts)
	}
	if list := c.Deviations(); !strings.Contains(strings.Join(list, "; "), "a segment that takes 20ms and not 200µs") {
		t.Errorf("%q", list)
	}
	again, err := scenarios.Registry(builtin.Locks()).Decode(c.Encode())
	if err != nil || !reflect.DeepEqual(again.Params, c.Params) {
		t.Errorf("%+v becomes %+v, %v", c.Params, again.Params, err)
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
