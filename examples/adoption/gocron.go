package main

import (
	"context"
	"errors"
	"sync"
	"time"

	gocronlock "github.com/go-co-op/gocron-redis-lock/v2"
	"github.com/go-co-op/gocron/v2"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

const runOnce = "no run of a job is made twice"

var gocronLibrary = library{
	module: "github.com/go-co-op/gocron/v2",
	program: cell.Program{
		ID: "gocron", Summary: "a job of go-co-op/gocron with its lock in Redis", Flawed: true,
		Stores: []stage.Store{redis.Store}, Rules: []program.Rule{program.AtMostOnce(runOnce, "run")}, Main: func(p *cell.Process) error { return scheduleRedis(p, func(due string) { p.Effect("run", due) }) },
	},
	expected: violates("gocron", "The lock ends with the job, so it does not keep an instance away whose clock is late.", slug(runOnce)),
}

// scheduleRedis schedules with the locker of gocron-redis-lock.
func scheduleRedis(p *cell.Process, run func(due string)) error {
	locker, _ := gocronlock.NewRedisLockerAlways(redis.Connect(p), gocronlock.WithTries(1), gocronlock.WithExpiry(p.TTL())) // with an error as well
	return schedule(p, locker, run)
}

// schedule runs a job every five seconds, which gets the time that it is due.
func schedule(p *cell.Process, locker gocron.Locker, run func(due string)) error {
	running := &countedLocker{Locker: locker}
	s, err := gocron.NewScheduler(gocron.WithDistributedLocker(running), gocron.WithClock(p.Clock()), gocron.WithLocation(time.UTC))
	if err != nil {
		return err
	}
	job, err := s.NewJob(gocron.CronJob("*/5 * * * * *", true), gocron.NewTask(func() {
		run(p.Clock().Now().Truncate(5 * time.Second).Format(time.TimeOnly))
	}), gocron.WithName("job"))
	if err != nil {
		return errors.Join(err, s.Shutdown())
	}
	s.Start()
	<-p.Context().Done()
	_ = s.RemoveJob(job.ID())
	running.Wait() // Shutdown spins while it waits for jobs
	return s.Shutdown()
}

// countedLocker is a locker that can be waited for.
type countedLocker struct {
	gocron.Locker
	sync.WaitGroup
}

// Lock is that of the locker.
func (c *countedLocker) Lock(ctx context.Context, key string) (gocron.Lock, error) {
	c.Add(1)
	l, err := c.Locker.Lock(ctx, key)
	if err != nil {
		c.Done()
		return nil, err
	}
	return unlock(func(ctx context.Context) error { defer c.Done(); return l.Unlock(ctx) }), nil
}

// unlock is a lock that is held.
type unlock func(context.Context) error

// Unlock releases it.
func (u unlock) Unlock(ctx context.Context) error { return u(ctx) }
