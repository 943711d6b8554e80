package main

import (
	"errors"
	"time"

	"github.com/hibiken/asynq"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

const taskOnce = "no unique task is enqueued twice"

// asynqLibrary has no server of asynq: its name there has the number of the process, which differs from run to run.
var asynqLibrary = library{
	module: "github.com/hibiken/asynq",
	program: cell.Program{
		ID: "asynq", Summary: "a unique task of hibiken/asynq, which two processes enqueue", Flawed: true,
		Stores: []stage.Store{redis.Store}, Rules: []program.Rule{program.AtMostOnce(taskOnce, "enqueue")}, Main: enqueueAsynq,
	},
	expected: violates("asynq", "What makes a task unique is a key of one Redis, which a failover may lose.", slug(taskOnce)),
}

func enqueueAsynq(p *cell.Process) error {
	client := asynq.NewClientFromRedisClient(redis.Connect(p))
	return tryTenTimes(p, "enqueue", func() (bool, error) {
		_, err := client.EnqueueContext(p.Context(), asynq.NewTask("mail", []byte("one")), asynq.Unique(24*time.Hour))
		if errors.Is(err, asynq.ErrDuplicateTask) {
			return false, nil
		}
		return err == nil, err
	})
}

// tryTenTimes tries something ten times that has an effect if it succeeds, and goes on after an error.
func tryTenTimes(p *cell.Process, effect string, try func() (bool, error)) error {
	for range 10 {
		switch done, err := try(); {
		case err != nil:
			p.Event("does not "+effect, err)
		case done:
			p.Effect(effect, "one")
		}
		p.Clock().Sleep(p.TTL() / 4)
	}
	return nil
}
