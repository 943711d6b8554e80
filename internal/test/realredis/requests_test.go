package realredis_test

import (
	"maps"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
)

// Scripts are one request, whatever they call, and pipelines as many as they have.
func TestRequests(t *testing.T) {
	server := realredis.Start(t)
	requests := new(realredis.Requests)
	client := server.Client(t, func(o *redis.Options) { o.Dialer, o.PoolSize = requests.Dial, 1 })
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	before := requests.At(server.Addr)
	if err := client.Eval(t.Context(), `redis.call("set", KEYS[1], "1"); return redis.call("get", KEYS[1])`, []string{"key"}).Err(); err != nil {
		t.Fatal(err)
	}
	_, err := client.Pipelined(t.Context(), func(p redis.Pipeliner) error {
		p.Set(t.Context(), "other", string(make([]byte, 100_000)), 0) // more than one write
		p.Get(t.Context(), "other")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := requests.At(server.Addr)
	for name, n := range before {
		if got[name] -= n; got[name] == 0 {
			delete(got, name)
		}
	}
	if want := map[string]int{"EVAL": 1, "SET": 1, "GET": 1}; !maps.Equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
	if none := requests.At("elsewhere"); len(none) != 0 {
		t.Errorf("elsewhere: %v", none)
	}
}
