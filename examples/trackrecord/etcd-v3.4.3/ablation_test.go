package etcd_test

import (
	"math/rand"
	"net"
	"testing"

	"go.etcd.io/etcd/clientv3"
	"google.golang.org/grpc"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd/store"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestAblation: without one of the cures of nondeterminism, runs differ. If they do not any
// more, the cure has become needless, or the test blind.
func TestAblation(t *testing.T) {
	for _, a := range []struct {
		name, scenario string
		params         [][2]string
		options        func(*sim.Process) []grpc.DialOption
		random         *rand.Rand
		connect        func(*cell.Client, ...grpc.DialOption) *clientv3.Client
	}{
		{name: "frames as they come", scenario: "contention", options: func(p *sim.Process) []grpc.DialOption {
			return []grpc.DialOption{grpc.WithContextDialer(etcd.Dialer(p, func(c *sim.Conn) net.Conn { return c }))}
		}},
		{name: "the library's balancer", scenario: "contention", options: func(*sim.Process) []grpc.DialOption {
			return []grpc.DialOption{grpc.WithBalancerName(libraryBalancer)}
		}},
		{name: "jitter of back-offs", scenario: "election", random: rand.New(rand.NewSource(1))},
		{
			name: "watches that share a stream", scenario: "contention", params: [][2]string{{"threads", "3"}, {"resets", "60"}},
			connect: connectAsIs,
		},
	} {
		t.Run(a.name, func(t *testing.T) {
			if a.random != nil {
				defer func(r *rand.Rand) { grpcRandom = r }(grpcRandom)
				grpcRandom = a.random
			}
			if a.connect == nil {
				a.connect = connect
			}
			differs(t, a.scenario, a.params, func(c *cell.Client) lock.Locker {
				var options []grpc.DialOption
				if a.options != nil {
					options = a.options(c.Process())
				}
				return lockOver(c, a.connect(c, options...))
			})
		})
	}
}

// differs fails the test if no schedule differs between its two runs.
func differs(t *testing.T, scenario string, params [][2]string, newLock cell.NewLock) {
	t.Helper()
	const tries = 200
	cell, err := scenarios.Registry([]cell.Lock{{Subject: cell.Mutex(newLock), Store: etcd.Store}}).Cell(scenario, "", nil)
	for _, p := range params {
		if err == nil {
			err = cell.Set(p[0], p[1])
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for n := range tries {
		one, two := cell.Run(explore.Run{Tape: explore.Random(1, n)}), cell.Run(explore.Run{Tape: explore.Random(1, n)})
		if one.Failure != nil {
			t.Fatalf("schedule %d: %s\n%s", n, one.Failure.Reason, one.Failure.Stack)
		}
		if one.Hash != two.Hash {
			t.Logf("schedule %d differs", n)
			return
		}
	}
	t.Errorf("no difference in %d schedules", tries)
}
