// Package reports sends a report every five seconds. Several instances run it, so each run of the job
// takes gocron's lock in Redis.
package reports

import (
	"context"
	"errors"
	"sync"
	"time"

	redislock "github.com/go-co-op/gocron-redis-lock/v2"
	"github.com/go-co-op/gocron/v2"
	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"
)

// Every is how often there is a report.
const Every = 5 * time.Second

// Instance is one of the instances.
type Instance struct {
	Redis *redis.Client
	Clock clockwork.Clock
	TTL   time.Duration // of the lock
	// Send sends the report of a time, which is a multiple of Every.
	Send func(due time.Time)
	// Noted makes the instance note in Redis that it sends a report before it does. Gocron's lock ends
	// with the job, so it does not keep an instance away that comes later.
	Noted bool
}

// Run works until ctx has ended.
func (i *Instance) Run(ctx context.Context) error {
	locker, err := redislock.NewRedisLockerAlways(i.Redis, redislock.WithTries(1), redislock.WithExpiry(i.TTL))
	if err != nil && locker == nil {
		return err
	}
	running := &counted{Locker: locker}
	s, err := gocron.NewScheduler(gocron.WithDistributedLocker(running), gocron.WithClock(i.Clock), gocron.WithLocation(time.UTC))
	if err != nil {
		return err
	}
	task := func(ctx context.Context) error { return i.report(ctx, i.Clock.Now().Truncate(Every)) }
	job, err := s.NewJob(gocron.CronJob("*/5 * * * * *", true), gocron.NewTask(task), gocron.WithName("report"))
	if err != nil {
		return errors.Join(err, s.Shutdown())
	}
	s.Start()
	<-ctx.Done()
	_ = s.RemoveJob(job.ID())
	running.Wait()
	return s.Shutdown()
}

// report sends one report.
func (i *Instance) report(ctx context.Context, due time.Time) error {
	if i.Noted {
		mine, err := i.Redis.SetNX(ctx, "report:"+due.Format(time.TimeOnly), "sent", time.Hour).Result()
		if err != nil || !mine {
			return err
		}
	}
	i.Send(due)
	return nil
}

// counted is a locker that can be waited for. Shutdown spins while it waits for jobs.
type counted struct {
	gocron.Locker
	sync.WaitGroup
}

// Lock is that of the locker.
func (c *counted) Lock(ctx context.Context, key string) (gocron.Lock, error) {
	c.Add(1)
	l, err := c.Locker.Lock(ctx, key)
	if err != nil {
		c.Done()
		return nil, err
	}
	return countedLock{l, c}, nil
}

type countedLock struct {
	gocron.Lock
	of *counted
}

// Unlock is that of the lock.
func (l countedLock) Unlock(ctx context.Context) error {
	defer l.of.Done()
	return l.Lock.Unlock(ctx)
}
