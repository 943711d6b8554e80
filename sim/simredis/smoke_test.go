package simredis

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/redis/go-redis/v9"
)

func TestSmoke(t *testing.T) {
	for range 2 {
	r := sim.Run(sim.Config{Record: true}, func(w *sim.World) {
		c := New(w, Options{Replicas: 1}, func(o model.Observation) { t.Logf("%+v", o) })
		for i := range 2 {
			p := w.NewProcess(fmt.Sprintf("c%d", i+1), sim.ProcessOptions{Host: fmt.Sprintf("10.0.0.%d", i+1)})
			rdb := redis.NewClient(&redis.Options{Addr: c.Address(), PoolSize: 10, Protocol: 2, Dialer: func(ctx context.Context, n, a string) (net.Conn, error) {
				return p.DialContext(ctx, n, a, 5*time.Second)
			}})
			w.OnEnd(func() { rdb.Close() })
			p.Go(func() {
				t.Log(rdb.SetNX(context.Background(), "lock", p.Name(), 2*time.Second).Result())
				p.Clock().Sleep(50 * time.Millisecond)
				t.Log(redis.NewScript("return redis.call('get',KEYS[1])").Run(context.Background(), rdb, []string{"lock"}).Result())
				p.Clock().Sleep(3 * time.Second)
				t.Log(rdb.SetNX(context.Background(), "lock", p.Name(), 2*time.Second).Result())
			})
		}
	})
	for _, e := range r.Events {
		t.Logf("%4d %12v %-8s %-8s %-6s %d %s %q", e.Seq, e.At, e.Kind, e.Actor, e.Peer, e.Conn, e.Detail, e.Payload)
	}
	t.Logf("%x %v %v %v", r.Hash, r.Simulated, r.Failure, r.Cut)
	}
}
