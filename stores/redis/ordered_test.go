package redis_test

import (
	"regexp"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/flawed"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestSwitchoverOfCluster: an operator orders replicas of a Redis Cluster to take their masters' places, in each of the three ways. Two clients hold a
// sound lock because of that, which is a limit, but only if the replica did not wait for its master.
func TestSwitchoverOfCluster(t *testing.T) {
	slowtest.SkipIfShort(t)
	c := deployed(t, "switchover", "cluster")
	told := regexp.MustCompile(`^redis\d is ordered to replace the serving node( \((FORCE|TAKEOVER)\))? at \d`)
	ordered, promoted, limits := map[string]int{}, 0, 0
	for n := range 800 {
		out := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
		if out.Failure != nil {
			t.Fatalf("schedule %d: %s\n%s", n, out.Failure.Reason, out.Failure.Stack)
		}
		hasty := false
		for _, choice := range out.Recording.Choices {
			if choice.Kind != "fault:manual-failover" || choice.Option == 0 {
				continue
			}
			text, _ := c.DeviationText(out.Recording, choice)
			m := told.FindStringSubmatch(text)
			if m == nil {
				t.Fatalf("schedule %d: %q", n, text)
			}
			ordered[m[2]]++
			hasty = hasty || m[2] != ""
		}
		for _, o := range out.Recording.History.Observations {
			if o.Kind == model.Promoted && o.Epoch > 0 {
				promoted++
			}
		}
		for _, v := range out.Verdicts {
			switch {
			case v.Status != model.Violated || checker.Weak(v.Property):
			case !v.Limit:
				t.Errorf("schedule %d: %s: %s", n, v.Property, v.Sentence)
			case v.Property == checker.MutualExclusion && v.Cause == model.TwoMasters && hasty:
				limits++
			case v.Property == checker.MutualExclusion && !hasty:
				t.Errorf("schedule %d, in which a master handed over: %s", n, v.Sentence)
			}
		}
	}
	if len(ordered) != 3 || promoted < 200 || limits == 0 {
		t.Errorf("orders by their ways: %v, %d promotions, %d limits", ordered, promoted, limits)
	}
	t.Logf("orders by their ways: %v, %d promotions, %d limits", ordered, promoted, limits)
}

// TestReplacedFlawedLock: a lock that does not look whose key it removes is blamed for that while masters are replaced by order, or have been stopped.
func TestReplacedFlawedLock(t *testing.T) {
	slowtest.SkipIfShort(t)
	del := cell.Lock{ID: "del", Store: redisstore.Store, Subject: locktest.Mutex(func(c *locktest.Client) lock.Locker {
		return flawed.NewSetPXDel(redisstore.Universal(c, nil), c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
	})}
	for scenario, params := range map[string][]traces.Parameter{ // unordered: each is a test of its own
		"switchover": {{Name: "topology", Value: "cluster"}, {Name: "manual-failovers", Value: "16"}},
		"hung-node":  {{Name: "topology", Value: "cluster"}},
	} {
		c, err := scenarios.Registry([]cell.Lock{del}).Cell(scenario, "del", params)
		if err != nil {
			t.Fatal(err)
		}
		if !blamed(c, 500) {
			t.Errorf("%s: no run blames it", scenario)
		}
	}
}

// blamed reports whether random schedules show that a lock removes what another has.
func blamed(c cell.Cell, schedules int) bool {
	for n := range schedules {
		for _, v := range c.Run(explore.Run{Tape: explore.Random(1, n), Record: true}).Verdicts {
			if v.Property == checker.OwnerOnlyRelease && v.Status == model.Violated && !v.Limit {
				return true
			}
		}
	}
	return false
}
