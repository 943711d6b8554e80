package swapped_test

import (
	"testing"
	"time"

	swapped "github.com/lockpick-dev/lockpick/examples/trackrecord/go-redis-v9.7.0"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTrackRecord: the answer to CLIENT SETINFO is late. A new connection sends that request, ignores that no answer came in
// time, and sends SET NX. It reads the late answer as the answer to SET NX, so the client believes that it has the lock. v9.7.3
// closes such a connection. The lease is longer than the client waits for an answer. A client has one thread: with two, one may
// wait for a mutex that the other holds during a handshake, which cannot be simulated.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, swapped.NewLock, locktest.On(redisstore.Store), locktest.Only("late-reply"), locktest.Runs(500), locktest.TTL(10*time.Second), locktest.Threads(1),
		locktest.Properties("truthful-acquire", "mutual-exclusion"), locktest.Expect("late-reply", "truthful-acquire"), locktest.Expect("late-reply", "mutual-exclusion"))
}

// TestSockets shows it on real sockets: SetNX returns true, though the server has answered that another has the key.
func TestSockets(t *testing.T) {
	if ok, err := swapped.SetNX(t.Context()); !ok {
		t.Errorf("SetNX: %v, %v", ok, err)
	}
}
