package main

import (
	"context"
	"errors"
	"time"

	"github.com/hibiken/asynq"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

const taskOnce = "no unique task is done twice"

var asynqLibrary = library{
	module: "github.com/hibiken/asynq",
	program: cell.Program{
		ID: "asynq", Summary: "hibiken/asynq: a unique task that two enqueue, and one server of two processes it", Flawed: true,
		Stores: []stage.Store{redis.Store}, Rules: []program.Rule{program.AtMostOnce(taskOnce, "task")}, Main: enqueue,
	},
	expected: violates("asynq", "A task of a worker that is paused or cut off is recovered by another, and its lock has an end.", slug(taskOnce)),
}

// silent keeps asynq's log away.
type silent struct{}

func (silent) Debug(...any) {}
func (silent) Info(...any)  {}
func (silent) Warn(...any)  {}
func (silent) Error(...any) {}
func (silent) Fatal(...any) {}

func enqueue(p *cell.Process) error {
	rdb := redis.Connect(p)
	s := asynq.NewServerFromRedisClient(rdb, asynq.Config{Concurrency: 1, Logger: silent{}, ShutdownTimeout: time.Second})
	err := s.Start(asynq.HandlerFunc(func(_ context.Context, t *asynq.Task) error {
		p.Effect("task", string(t.Payload()))
		p.Clock().Sleep(p.TTL() / 2)
		return nil
	}))
	if err != nil {
		return err
	}
	defer s.Shutdown()
	_, err = asynq.NewClientFromRedisClient(rdb).EnqueueContext(p.Context(), asynq.NewTask("task", []byte("one")), asynq.Unique(time.Hour), asynq.MaxRetry(0))
	if err != nil && !errors.Is(err, asynq.ErrDuplicateTask) {
		p.Event("does not enqueue", err)
	}
	<-p.Context().Done()
	return nil
}
