package goredis_test

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: the answer to CLIENT SETINFO is late (CVE-2025-29923). A new connection sends that request, ignores that its
// answer has not come in time, and is used: the late answer is taken for that to SET NX, so a client believes that it has the lock.
// v9.7.3 does not use such a connection. The lease is longer than the client waits for an answer, and a client has one thread,
// since with two one may wait for a mutex that the other has during a handshake.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(redisstore.Store), locktest.Only("late-reply"), locktest.Runs(500), locktest.TTL(10*time.Second), locktest.Threads(1),
		locktest.Properties("truthful-acquire", "mutual-exclusion"), locktest.Expect("late-reply", "truthful-acquire"), locktest.Expect("late-reply", "mutual-exclusion"))
}
