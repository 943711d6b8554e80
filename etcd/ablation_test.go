package etcd

import (
	"bytes"
	"net"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	etcdstore "github.com/lockpick-dev/lockpick/scenarios/etcd"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simh2"
)

// with makes clients whose configuration has more options, which override those before.
func with(options func(*sim.Process) grpc.DialOption) func(*sim.Process, []string) (*clientv3.Client, error) {
	return func(p *sim.Process, endpoints []string) (*clientv3.Client, error) {
		c := Config(p, endpoints)
		c.DialOptions = append(c.DialOptions, options(p))
		return clientv3.New(c)
	}
}

// ablations are clients that lack one of the cures of nondeterminism, each with a plan that
// suffers from it.
var ablations = map[string]struct {
	plan plan
	with func(*sim.Process) grpc.DialOption
}{
	"frames as they come": {calm, func(p *sim.Process) grpc.DialOption {
		return grpc.WithContextDialer(etcdstore.Dialer(p, func(c *sim.Conn) net.Conn { return c }))
	}},
	"gathered frames as they come": {calm, func(p *sim.Process) grpc.DialOption {
		return grpc.WithContextDialer(etcdstore.Dialer(p, func(c *sim.Conn) net.Conn {
			c.Gather(bytes.Clone)
			return c
		}))
	}},
	"keep-alives as they come": {plan{Clients: 1, Rounds: 1, Members: 1, Leases: 4, Late: 1}, func(p *sim.Process) grpc.DialOption {
		return grpc.WithContextDialer(etcdstore.Dialer(p, func(c *sim.Conn) net.Conn { return simh2.Client(c, simh2.ClientOptions{}) }))
	}},
	"jitter of back-offs": {plan{Clients: 2, Rounds: 2, Members: 1, Faults: []string{"server"}, Budget: 2}, func(*sim.Process) grpc.DialOption {
		return grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: 20 * time.Second})
	}},
	"the library's round_robin": {plan{Clients: 1, Rounds: 1, Members: 3}, func(*sim.Process) grpc.DialOption {
		return grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`)
	}},
}

// TestAblation: without one of the cures, runs differ. If they do not any more, the cure
// has become needless, or the test blind.
func TestAblation(t *testing.T) {
	for name, a := range ablations {
		t.Run(name, func(t *testing.T) {
			differs(t, a.plan, with(a.with))
		})
	}
}

// differs fails the test if no schedule of a plan differs between its two runs.
func differs(t *testing.T, p plan, client func(*sim.Process, []string) (*clientv3.Client, error)) {
	t.Helper()
	const tries = 400
	for n := range tries {
		one, two := p.run(randomTape(n), false, client), p.run(randomTape(n), false, client)
		if one.Failure != nil {
			t.Fatalf("schedule %d: %+v", n, one.Failure)
		}
		if one.Hash != two.Hash {
			t.Logf("schedule %d differs", n)
			return
		}
	}
	t.Errorf("no difference in %d schedules", tries)
}

// TestAblationOfThreads: threads that share a client cannot be told apart without tags.
func TestAblationOfThreads(t *testing.T) {
	untagged := func(p *sim.Process, endpoints []string) (*clientv3.Client, error) {
		return clientv3.New(Config(p, endpoints))
	}
	differs(t, plans["threads"], untagged)
}
