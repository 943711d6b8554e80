package experiments_test

import (
	"os"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lab/experiments"
	"github.com/lockpick-dev/lockpick/lab/internal/experimentstest"
	mysql "github.com/lockpick-dev/lockpick/mysql/builtin"
	redis "github.com/lockpick-dev/lockpick/stores/redis/builtin"
	zookeeper "github.com/lockpick-dev/lockpick/zookeeper/builtin"
)

// locks are those of the stores of this module.
var locks = slices.Concat(redis.Locks(), zookeeper.Locks(), mysql.Locks())

func TestMain(m *testing.M) {
	experimentstest.Serve(locks)
	os.Exit(m.Run())
}

// all are the names of the experiments.
func all() (ids []string) {
	for _, e := range experiments.All {
		ids = append(ids, e.ID)
	}
	return ids
}

// TestRunsRepeat: runs come out the same in two processes.
func TestRunsRepeat(t *testing.T) {
	slowtest.SkipIfShort(t)
	experimentstest.Repeat(t, locks, all()...)
}

// TestRaceBuild: and in a binary with the race detector.
func TestRaceBuild(t *testing.T) { experimentstest.RaceBuild(t, locks, all()...) }
