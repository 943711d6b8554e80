package main

import (
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// newCareful is a lock that removes its own record only.
func newCareful(c *cell.Client) lock.Locker {
	return redislocks.NewSetPX(redisstore.Connect(c), c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
}

// TestGuardedWrites: our lock is to blame for a write without the lock, since a release may remove another's record; the careful
// one is excused, since its holder was stopped when the lease ended.
func TestGuardedWrites(t *testing.T) {
	for _, test := range []struct {
		name  string
		lock  func(*cell.Client) lock.Locker
		cause string
		limit bool
	}{
		{"mine", newLock, model.RemovedByAnother, false},
		{"careful", newCareful, model.HolderStopped, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := locktest.Explore(t, test.lock, locktest.On(redisstore.Store), locktest.Only("gc-pause"), locktest.Runs(64),
				locktest.Judge(guardedWrites), locktest.Properties(guardedWrites.ID))
			causes := map[string]bool{}
			for _, f := range r.Findings {
				v := f.Trace.Verdict()
				causes[v.Cause] = v.Limit
			}
			if limit, found := causes[test.cause]; !found || limit != test.limit {
				t.Errorf("found %v, want %s, a limit: %t", causes, test.cause, test.limit)
			}
			if test.limit && len(causes) > 1 {
				t.Errorf("a careful lock has faults: %v", causes)
			}
		})
	}
}
