package redis

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
	"github.com/lockpick-dev/lockpick/sim/testdata/globals"
)

// TestRequestsOfOneInstant: two goroutines of a process that begin requests over one client at one
// instant get the same connections in every run: connections that are idle, and those that are
// made to a node which cannot be reached for a while. Newer versions of go-redis make the latter
// in goroutines of the pool, which are all alike.
func TestRequestsOfOneInstant(t *testing.T) {
	for _, e := range []struct {
		name   string
		warmUp int // how many connections are idle when the two begin
		cut    bool
	}{
		{"two idle connections", 2, false},
		{"one idle connection", 1, false},
		{"a node that is cut off", 0, true},
	} {
		t.Run(e.name, func(t *testing.T) {
			hashes := map[uint64]int{}
			for range 40 {
				hashes[twoRequests(t, e.warmUp, e.cut)]++
			}
			if len(hashes) > 1 {
				t.Errorf("40 runs of one tape came out in %d ways: %v", len(hashes), hashes)
			}
		})
	}
}

// twoRequests makes a run in which a clean-up and a take begin at one instant, and returns its
// hash.
func twoRequests(t *testing.T, warmUp int, cut bool) uint64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	report := sim.Run(sim.Config{Tape: tape{rng}}, func(w *sim.World) {
		w.AnswerUnsupported()
		w.Network().SetLink(sim.Link{Base: 200 * time.Microsecond, Jitter: time.Millisecond})
		c := simredis.New(w, simredis.Options{Names: []string{"redis1"}, Subnet: "10.0.1"}, func(model.Observation) {})
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		client := redis.NewClient(simulated(p, c.Address()))
		w.OnEnd(func() { _ = client.Close() })
		node := c.Primary().Actor
		if cut {
			w.Network().Cut(p.Actor, node)
			w.At(node, 5*time.Second, sim.EventFault, sim.EventOptions{Vital: true}, func() { w.Network().Heal(p.Actor, node) })
		}
		p.Go(func() {
			ctx := context.Background()
			var all sync.WaitGroup
			for range warmUp { // the first waits while the next begins
				all.Go(func() { client.BLPop(ctx, time.Second, "nothing") })
				p.Step("warm up", time.Millisecond)
			}
			all.Wait()
			p.Step("begin", 3*time.Second)
			all.Go(func() { cleanUp(ctx, client) })
			all.Go(func() { take(ctx, client) })
			all.Wait()
		})
	})
	if report.Failure != nil {
		t.Fatalf("%s\n%s", report.Failure.Reason, report.Failure.Stack)
	}
	return report.Hash
}

func cleanUp(ctx context.Context, c *redis.Client) {
	dawdle()
	c.Del(ctx, "lock", "of the try before")
}

func take(ctx context.Context, c *redis.Client) {
	dawdle()
	c.SetNX(ctx, "lock", "mine", time.Second)
}

// dawdle lets other goroutines go first, or not: in each run otherwise.
func dawdle() {
	for range globals.Unseedable() % 4 {
		runtime.Gosched()
	}
}

// tape answers at random, as its seed says.
type tape struct{ rng *rand.Rand }

func (t tape) Choose(d sim.Decision) int { return t.rng.IntN(d.Options) }
