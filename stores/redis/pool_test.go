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

// pooled runs f in a process with a client of one connection, and returns the run's hash.
func pooled(t *testing.T, f func(p *sim.Process, client *redis.Client)) uint64 {
	t.Helper()
	report := sim.Run(sim.Config{Tape: tape{rand.New(rand.NewPCG(1, 1))}}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 200 * time.Microsecond, Jitter: time.Millisecond})
		c := simredis.New(w, simredis.Options{Names: []string{"redis1"}, Subnet: "10.0.1"}, func(model.Observation) {})
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		o := simulated(p, c.Address())
		o.PoolSize, o.PoolTimeout = pool(1)
		client := redis.NewClient(o)
		w.OnEnd(func() { _ = client.Close() })
		p.Go(func() { f(p, client) })
	})
	if report.Failure != nil {
		t.Fatalf("%s\n%s", report.Failure.Reason, report.Failure.Stack)
	}
	return report.Hash
}

// TestPoolTimeout: who waits for longer than PoolTimeout is told what go-redis says of that. Who waits
// for less gets the connection when it is given back. A connection of Pub/Sub is not of the pool.
func TestPoolTimeout(t *testing.T) {
	pooled(t, func(p *sim.Process, client *redis.Client) {
		ctx := context.Background()
		conn := client.Conn()
		if err := conn.Ping(ctx).Err(); err != nil {
			t.Error(err)
		}
		sub := client.Subscribe(ctx, "news")
		if _, err := sub.Receive(ctx); err != nil {
			t.Errorf("Pub/Sub: %v", err)
		}
		once := client.WithTimeout(time.Second)
		once.Options().MaxRetries = 0 // newer versions try again
		begun := time.Now()
		failing(t, once.Ping(ctx).Err())
		if took := time.Since(begun); took < poolTimeout {
			t.Errorf("it took %v, want %v or more", took, poolTimeout)
		}
		done := make(chan error)
		go func() { done <- client.Ping(ctx).Err() }()
		p.Step("keep it", time.Second)
		_ = conn.Close()
		if err := <-done; err != nil {
			t.Errorf("a request that gets the connection in time: %v", err)
		}
		_ = sub.Close()
	})
}

// TestPoolQueue: goroutines that want one connection at one instant get it in the same order in every
// run, also those that get none and fail together.
func TestPoolQueue(t *testing.T) {
	hashes := map[uint64]int{}
	for range 40 {
		hashes[pooled(t, func(p *sim.Process, client *redis.Client) {
			ctx := context.Background()
			conn := client.Conn()
			conn.Ping(ctx)
			var all sync.WaitGroup
			for _, take := range []func(){
				func() { dawdle(); client.Set(ctx, "a", "1", 0) },
				func() { dawdle(); client.Del(ctx, "b") },
				func() { dawdle(); client.SetNX(ctx, "c", "mine", time.Second) },
			} {
				all.Go(take)
			}
			p.Step("keep it", 2*time.Second)
			_ = conn.Close()
			all.Wait()
			kept := client.Conn()
			kept.Ping(ctx)
			all.Go(func() { dawdle(); failing(t, client.Get(ctx, "a").Err()) })
			all.Go(func() { dawdle(); failing(t, client.Incr(ctx, "d").Err()) })
			all.Wait()
			_ = kept.Close()
		})]++
	}
	if len(hashes) > 1 {
		t.Errorf("40 runs of one tape came out in %d ways: %v", len(hashes), hashes)
	}
}

// failing expects the error of a request that got no connection.
func failing(t *testing.T, err error) {
	if err == nil || err.Error() != "redis: connection pool timeout" {
		t.Errorf("a request without a connection: %v", err)
	}
}
