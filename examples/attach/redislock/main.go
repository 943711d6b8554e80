// A client of simrun attach as a built program: bsm/redislock over go-redis, with its own goroutines and timers.
//
// Build: cd examples/attach/redislock && go build -o redislock .
// Run:   simrun attach --store redis -- ./redislock
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type order struct {
	Do        string
	ID        int
	Addresses []string
	Name      string
	LeaseMS   time.Duration `json:"lease_ms"`
	WaitMS    time.Duration `json:"wait_ms"`
}

func main() {
	var (
		prepared order
		client   *redislock.Client
		held     *redislock.Lock
		ctx      = context.Background()
		orders   = json.NewDecoder(os.Stdin)
		reports  = json.NewEncoder(os.Stdout)
	)
	for o := (order{}); orders.Decode(&o) == nil && o.Do != "end"; o = (order{}) {
		var err error
		switch o.Do {
		case "prepare":
			prepared, client = o, redislock.New(redis.NewClient(&redis.Options{Addr: o.Addresses[0]}))
			_ = reports.Encode(map[string]any{"ready": true, "protocol": 1, "lock": "bsm/redislock v0.9.3"})
			continue
		case "acquire":
			retry := redislock.LimitRetry(redislock.LinearBackoff(50*time.Millisecond), int(o.WaitMS/50))
			held, err = client.Obtain(ctx, prepared.Name, prepared.LeaseMS*time.Millisecond, &redislock.Options{RetryStrategy: retry})
		case "extend":
			err = held.Refresh(ctx, prepared.LeaseMS*time.Millisecond, nil)
		case "release":
			err = held.Release(ctx)
		}
		answer := map[string]any{"id": o.ID, "result": "ok"}
		if err != nil {
			answer["result"], answer["error"] = "unknown", err.Error()
		}
		if errors.Is(err, redislock.ErrNotObtained) || errors.Is(err, redislock.ErrLockNotHeld) {
			answer["result"] = "failed"
		}
		_ = reports.Encode(answer)
	}
}
