package redis_test

import (
	"strings"
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

// TestMigration: two nodes grant a sound lock while its slot moves, which is a limit, and nothing is its fault. Some clients
// are sent on, some migrations are given up, and some are finished.
func TestMigration(t *testing.T) {
	slowtest.SkipIfShort(t)
	c := deployed(t, "migration", "cluster")
	migrated, happened := 0, 0
	seen := map[string]int{}
	for n := range 500 {
		out := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
		if out.Failure != nil {
			t.Fatalf("schedule %d: %s\n%s", n, out.Failure.Reason, out.Failure.Stack)
		}
		if c.Scenario.Happenings[0].In(&out.Recording.History) {
			happened++
		}
		for _, o := range out.Recording.History.Observations {
			if strings.HasPrefix(o.Event(), "slot-") {
				seen[o.Event()]++
			}
		}
		for _, v := range out.Verdicts {
			switch {
			case v.Status != model.Violated:
			case v.Cause == model.Migration:
				migrated++
			case v.Property == checker.TruthfulAcquire || v.Limit:
			case !checker.Weak(v.Property):
				t.Errorf("schedule %d: %s: %s", n, v.Property, v.Sentence)
			}
		}
	}
	if migrated == 0 || happened == 0 || seen["slot-moves"] == 0 || seen["slot-moved"] == 0 || seen["slot-kept"] == 0 {
		t.Errorf("%d violations by a migration; in %d schedules clients were sent on; %v", migrated, happened, seen)
	}
}

// TestMigrationOfAFlawedLock: a lock that removes another's is blamed while its slot moves.
func TestMigrationOfAFlawedLock(t *testing.T) {
	slowtest.SkipIfShort(t)
	del := cell.Lock{ID: "del", Store: redisstore.Store, Subject: locktest.Mutex(func(c *locktest.Client) lock.Locker {
		return flawed.NewSetPXDel(redisstore.Universal(c, nil), c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
	})}
	c, err := scenarios.Registry([]cell.Lock{del}).Cell("migration", "del", []traces.Parameter{{Name: "topology", Value: "cluster"}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 500 {
		for _, v := range c.Run(explore.Run{Tape: explore.Random(1, n), Record: true}).Verdicts {
			if v.Property == checker.OwnerOnlyRelease && v.Status == model.Violated && !v.Limit {
				return
			}
		}
	}
	t.Error("no run blames it")
}

// TestMigrationDoesNotApply: records of other topologies do not move, and the reason is given.
func TestMigrationDoesNotApply(t *testing.T) {
	for _, topology := range []string{"replicas", "sentinel"} {
		if lacks := deployed(t, "migration", topology).Lacks(); !strings.Contains(lacks, "do not move from one server to another") {
			t.Errorf("%s: %q", topology, lacks)
		}
	}
}
