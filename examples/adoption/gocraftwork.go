package main

import (
	"github.com/gocraft/work"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

const jobOnce = "no unique job is enqueued twice"

var workLibrary = library{
	module: "github.com/gocraft/work",
	program: cell.Program{
		ID: "gocraft-work", Summary: "a unique job of gocraft/work, which two processes enqueue", Flawed: true,
		Stores: []stage.Store{redis.Store}, Rules: []program.Rule{program.AtMostOnce(jobOnce, "enqueue")},
		Main: func(p *cell.Process) error {
			e := work.NewEnqueuer("app", redigoPool(p.AsClient(), redis.Options(p).Addr))
			return tryTenTimes(p, "enqueue", func() (bool, error) {
				job, err := e.EnqueueUnique("mail", work.Q{"to": "one"})
				return job != nil, err
			})
		},
	},
	expected: violates("gocraft-work", "What makes a job unique is a key of one Redis, which a failover may lose.", slug(jobOnce)),
}
