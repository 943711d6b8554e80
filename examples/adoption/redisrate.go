package main

import (
	"github.com/go-redis/redis_rate/v10"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

const withinRate = "no more is allowed than one in an hour"

var redisRateLibrary = library{
	module: "github.com/go-redis/redis_rate/v10",
	program: cell.Program{
		ID: "redis-rate", Summary: "go-redis/redis_rate, of which two processes ask for one event in an hour", Flawed: true,
		Stores: []stage.Store{redis.Store}, Rules: []program.Rule{program.AtMostOnce(withinRate, "allow")},
		Main: func(p *cell.Process) error {
			l := redis_rate.NewLimiter(redis.Connect(p))
			return tryTenTimes(p, "allow", func() (bool, error) {
				r, err := l.Allow(p.Context(), "mail", redis_rate.PerHour(1))
				return err == nil && r.Allowed > 0, err
			})
		},
	},
	expected: violates("redis-rate", "It counts in a key of one Redis, by that one's clock. A failover may lose the key.", slug(withinRate)),
}
