package etcd

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand"
	"net"
	"runtime"
	"slices"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	etcdstore "github.com/lockpick-dev/lockpick/etcd/store"
	"github.com/lockpick-dev/lockpick/etcd/store/simh2"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// without makes clients that lack one of the cures, and have something else in its place.
func without(name string, instead ...func(*sim.Process) grpc.DialOption) newClient {
	return func(p *sim.Process, endpoints []string) (*clientv3.Client, error) {
		c := Config(p, endpoints)
		c.DialOptions = nil
		for _, one := range cures(p) {
			if one.of != name {
				c.DialOptions = append(c.DialOptions, one.options...)
			}
		}
		for _, option := range instead {
			c.DialOptions = append(c.DialOptions, option(p))
		}
		return finish(p, c)
	}
}

// over makes connections in whose place others stand.
func over(arrange func(*sim.Conn) net.Conn) func(*sim.Process) grpc.DialOption {
	return func(p *sim.Process) grpc.DialOption { return grpc.WithContextDialer(etcdstore.Dialer(p, arrange)) }
}

// dialer connects.
type dialer = func(ctx context.Context, address string) (net.Conn, error)

// plain connects with frames in their order, and orders nothing that is read.
func plain(p *sim.Process) grpc.DialOption {
	return grpc.WithContextDialer(plainDialer(p, etcdstore.Frames))
}

// plainDialer is as [etcdstore.Dialer], and orders nothing that is read.
func plainDialer(p *sim.Process, arrange func(*sim.Conn) net.Conn) dialer {
	return func(ctx context.Context, address string) (net.Conn, error) {
		p.WorkForAll()
		conn, err := p.DialContext(ctx, "tcp", address, 0)
		if c, ok := conn.(*sim.Conn); ok && err == nil {
			return arrange(c), nil
		}
		return conn, err
	}
}

// libraryWatches makes clients with the library's own watches.
func libraryWatches(p *sim.Process, endpoints []string) (*clientv3.Client, error) {
	return clientv3.New(Config(p, endpoints))
}

// ablations are clients that lack one of the cures of nondeterminism, each with runs that
// suffer from it.
var ablations = map[string]struct {
	run  func(schedule int, client newClient) sim.Report
	with newClient
}{
	"frames as they come":          {calm.random, without("connections", over(func(c *sim.Conn) net.Conn { return c }))},
	"gathered frames as they come": {calm.random, without("connections", over(gathered))},
	"keep-alives as they come":     {plan{Clients: 1, Rounds: 1, Members: 1, Leases: 4, Late: 1}.random, without("connections", over(unsorted))},
	"messages as they come":        {script(lastMessage).run, without("connections", plain)},
	"back-offs with jitter":        {plan{Clients: 2, Rounds: 2, Members: 1, Faults: []string{"server"}, Budget: 2}.random, without("back-offs")},
	"the library's round_robin":    {plan{Clients: 1, Rounds: 1, Members: 3}.random, without("turns", libraryTurns)},
	"keep-alives at once":          {script(lostLeases).run, without("keep-alives")},
	"calls without tags":           {plans["threads"].random, without("threads")},
	"watches that share a stream":  {script(manyWatches).run, libraryWatches},
	"watches that have ended":      {script(endedContexts).run, libraryWatches},
}

// chosenByRuntime are the cures of what the Go runtime chooses, which is mostly the run's own choice where its memory is read: without
// them few runs differ, or none on one processor, and many in a build that does not read it (go test -tags unreadable).
var chosenByRuntime = []string{
	"back-offs with jitter", "keep-alives as they come", "keep-alives at once", "watches that have ended", "watches that share a stream",
}

func gathered(c *sim.Conn) net.Conn {
	c.Gather(bytes.Clone)
	return c
}

func unsorted(c *sim.Conn) net.Conn { return simh2.Client(c, simh2.ClientOptions{}) }

func libraryTurns(*sim.Process) grpc.DialOption {
	return grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`)
}

// TestAblation: without one of the cures runs differ, and with all of them the same runs do
// not. If none differs any more, the cure has become needless, or the test blind. At least one
// run in ten differs, so that four hundred without a difference do not happen, but for what the runtime chooses.
func TestAblation(t *testing.T) {
	const tries, cured = 400, 60
	for name, a := range ablations {
		t.Run(name, func(t *testing.T) {
			switch n := difference(t, tries, a.run, a.with); {
			case n == tries && readsRuntime && slices.Contains(chosenByRuntime, name):
				t.Logf("no difference in %d schedules", tries)
			case n == tries:
				t.Errorf("no difference in %d schedules", tries)
			default:
				t.Logf("schedule %d differs", n)
			}
			if n := difference(t, cured, a.run, New); n < cured {
				t.Errorf("schedule %d differs though nothing is left out", n)
			}
		})
	}
}

// difference is the first schedule whose two runs differ, or how many have been tried.
func difference(t *testing.T, tries int, run func(int, newClient) sim.Report, client newClient) int {
	t.Helper()
	for n := range tries {
		one, two := run(n, client), run(n, client)
		if one.Failure != nil {
			t.Fatalf("schedule %d: %+v", n, one.Failure)
		}
		if one.Hash != two.Hash {
			return n
		}
	}
	return tries
}

// TestJitterOfCalls: with the library's jitter, the wait before a call is made again depends
// on who has drawn from math/rand before, and so on which goroutine is first. Without it the
// wait does not.
func TestJitterOfCalls(t *testing.T) {
	after := func(draws int, fraction float64) uint64 {
		r := script(retry).run(0, func(p *sim.Process, endpoints []string) (*clientv3.Client, error) {
			c := Config(p, endpoints)
			c.BackoffJitterFraction = fraction
			c.DialOptions = append(c.DialOptions, grpc.WithChainUnaryInterceptor(drawing(draws)))
			return finish(p, c)
		})
		if r.Failure != nil || r.Cut != "" {
			t.Fatalf("%+v %s", r.Failure, r.Cut)
		}
		return r.Hash
	}
	const library = 0
	if after(0, library) == after(10, library) {
		t.Error("the waits of the library do not depend on draws")
	}
	if after(0, leastJitter) != after(10, leastJitter) {
		t.Error("the waits depend on draws")
	}
}

// drawing draws from math/rand when a call has failed, as another goroutine may.
func drawing(draws int) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, request, answer any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, method, request, answer, cc, opts...)
		if err != nil {
			rand.Perm(draws)
		}
		return err
	}
}

// TestEndsAreInOrder: who gets the last answer of a connection that has ended goes on before the
// end is known, however late the scheduler lets the connection be read again. With plain
// connections that depends on the scheduler, as a build with the race detector shows.
func TestEndsAreInOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that who yields lets others go first
	after := func(yields int, dial func(*sim.Process, func(*sim.Conn) net.Conn) dialer) uint64 {
		r := script(lastAnswer).run(0, without("connections", func(p *sim.Process) grpc.DialOption {
			return grpc.WithContextDialer(dial(p, func(c *sim.Conn) net.Conn { return yielding{etcdstore.Frames(c), yields} }))
		}))
		if r.Failure != nil || r.Cut != "" {
			t.Fatalf("%+v %s", r.Failure, r.Cut)
		}
		return r.Hash
	}
	const many = 20
	if after(0, plainDialer) == after(many, plainDialer) {
		t.Error("it does not matter when a plain connection is read again: the test is blind")
	}
	if after(0, etcdstore.Dialer) != after(many, etcdstore.Dialer) {
		t.Error("it matters when a connection is read again")
	}
}

// yielding is a connection whose reader lets other goroutines go first.
type yielding struct {
	net.Conn
	times int
}

func (y yielding) Read(b []byte) (int, error) {
	for range y.times {
		runtime.Gosched()
	}
	return y.Conn.Read(b)
}

// TestPings: without static windows the client sends pings.
func TestPings(t *testing.T) {
	if !pings(t, without("windows")) {
		t.Error("there are no pings without static windows: the test for them is blind")
	}
	if pings(t, New) {
		t.Error("there are pings")
	}
}

// TestTimeStandsStill: with a channel from outside of the bubble in its watches, a run does not
// come to its end.
func TestTimeStandsStill(t *testing.T) {
	for _, p := range []plan{calm, {Clients: 2, Rounds: 2, Members: 1, Outside: true}} {
		w, err := explore.Self()
		if err != nil {
			t.Fatal(err)
		}
		w.Env = append(w.Env, workerMark+"=1")
		cell, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var trouble *explore.Trouble
		err = w.Do(t.Context(), explore.Request{Cell: cell, Seed: 1, Count: 1}, func(r explore.Result) bool {
			trouble = r.Trouble
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		if (trouble != nil) != p.Outside {
			t.Errorf("channel from outside: %v, trouble: %v", p.Outside, trouble)
		}
		t.Log(trouble)
	}
}
