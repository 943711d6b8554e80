package redis

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// dawdling lets the requests of a node's client begin in any order in which the scheduler may let them.
type dawdling struct{}

func (dawdling) DialHook(next redis.DialHook) redis.DialHook { return next }

func (dawdling) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		dawdle()
		return next(ctx, cmd)
	}
}

func (dawdling) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// clustered runs f in a process with a cluster client, and returns the run's hash.
func clustered(t *testing.T, seed uint64, f func(p *sim.Process, client *redis.ClusterClient)) uint64 {
	t.Helper()
	report := sim.Run(sim.Config{Tape: tape{rand.New(rand.NewPCG(seed, 1))}}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 200 * time.Microsecond, Jitter: time.Millisecond})
		nodes := simredis.NewShards(w, simredis.ShardsOptions{}, func(model.Observation) {})
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		client, closed := clusterClient(p, nodes.Addresses(), 0, nil)
		client.OnNewNode(func(node *redis.Client) { node.AddHook(dawdling{}) })
		w.OnEnd(closed)
		p.Go(func() { f(p, client) })
	})
	if report.Failure != nil {
		t.Fatalf("%s\n%s", report.Failure.Reason, report.Failure.Stack)
	}
	return report.Hash
}

// TestSlotsAskedMeanwhile: a request that finds that the slots are old has go-redis ask for them in a goroutine. Which of the
// two is first at a node is the same in every run.
func TestSlotsAskedMeanwhile(t *testing.T) {
	for seed := range uint64(12) {
		hashes := map[uint64]int{}
		for range 20 {
			hashes[clustered(t, seed, func(p *sim.Process, client *redis.ClusterClient) {
				ctx := context.Background()
				client.Set(ctx, "lock", "mine", time.Minute)
				all := []func(){ // the order goes by the lines of code
					func() { client.PExpire(ctx, "lock", time.Minute) },
					func() { client.Expire(ctx, "lock", time.Minute) },
					func() { client.Get(ctx, "lock") },
					func() { client.PTTL(ctx, "lock") },
					func() { _ = client.Watch(ctx, func(tx *redis.Tx) error { return tx.TTL(ctx, "lock").Err() }, "lock") },
				}
				atOnce := func(list ...func()) {
					p.Step("hold", 11*time.Second)
					var each sync.WaitGroup
					for _, request := range list {
						each.Go(func() { dawdle(); request() })
					}
					each.Wait()
				}
				for _, request := range all {
					atOnce(request)
				}
				atOnce(all...)
			})]++
		}
		if len(hashes) > 1 {
			t.Errorf("seed %d: 20 runs of one tape came out in %d ways: %v", seed, len(hashes), hashes)
		}
	}
}
