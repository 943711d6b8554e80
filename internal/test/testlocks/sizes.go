package testlocks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// The sized are right as long as a run has the usual size.
var sized = []cell.Lock{
	{ID: "test-third-round", Summary: "counts its acquisitions under a key that it never deletes, and takes the third for one within the first", Subject: cell.Mutex(thirdRound)},
	{ID: "test-short-lease", Summary: "overwrites a value that it has seen for three seconds, since no lease is that long, it thinks", Subject: cell.Mutex(shortLease)},
	{ID: "test-last-reader", Summary: "is free of readers when the one who came last has gone", Subject: cell.PlainReadWrite(lastReader)},
	{ID: "test-one-session", Summary: "keeps one value for all threads of a process, and takes a key with that for its own", Subject: cell.Mutex(oneSession)},
	{ID: "test-permits-of-the-dead", Summary: "never gives back the permits of clients that died", Subject: cell.PermitSemaphore(2, permitsOfTheDead)},
}

// thirdRound enters by its counter: one that shows more than two is that of a holder, it
// thinks, who takes the lock once more.
func thirdRound(c *cell.Client) lock.Locker {
	client := connect(c)
	count := c.LockName() + ":" + c.Name()
	return locker{
		acquire: func(ctx context.Context) error {
			n, err := client.Incr(ctx, count).Result()
			if err != nil || n > 2 {
				return err
			}
			return spin(ctx, c, client, c.TTL(), steady)
		},
		release: func(ctx context.Context) error {
			return deleteNamed.Run(ctx, client, []string{c.LockName()}, c.Name()).Err()
		},
	}
}

// deleteNamed deletes a key that has the caller's name.
var deleteNamed = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// shortLease takes a value that has been there for three seconds for that of a dead holder in a
// store that has forgotten its expiry.
func shortLease(c *cell.Client) lock.Locker {
	client := connect(c)
	const tooLong = 3 * time.Second
	n, mine := 0, ""
	return locker{
		acquire: func(ctx context.Context) error {
			n++
			mine = fmt.Sprint(c.Name(), "#", n)
			seen, since := "", time.Time{}
			for ctx.Err() == nil {
				ok, err := client.SetNX(ctx, c.LockName(), mine, c.TTL()).Result()
				if err != nil || ok {
					return err
				}
				value, err := client.Get(ctx, c.LockName()).Result()
				switch {
				case err != nil && !errors.Is(err, redis.Nil):
					return err
				case value != seen:
					seen, since = value, c.Clock().Now()
				case c.Clock().Since(since) > tooLong:
					return client.Set(ctx, c.LockName(), mine, c.TTL()).Err()
				}
				c.Clock().Sleep(steady())
			}
			return ctx.Err()
		},
		release: func(ctx context.Context) error {
			return deleteNamed.Run(ctx, client, []string{c.LockName()}, mine).Err()
		},
	}
}

// lastReader returns a read-write lock whose readers note who came last. It is right if they leave in the order
// in which they came.
func lastReader(c *cell.Client) lock.RWLocker {
	client := connect(c)
	side := func(enter, leave string) lock.Locker {
		keys := []string{c.LockName(), c.LockName() + ":last"}
		return &locker{
			acquire: func(ctx context.Context) error {
				for ctx.Err() == nil {
					if ok, err := client.Eval(ctx, enter, keys, c.Name()).Bool(); err != nil || ok {
						return err
					}
					c.Clock().Sleep(steady())
				}
				return ctx.Err()
			},
			release: func(ctx context.Context) error { return client.Eval(ctx, leave, keys, c.Name()).Err() },
		}
	}
	return rw{
		reader: side(`
			if redis.call("exists", KEYS[1]) == 1 then return 0 end
			redis.call("set", KEYS[2], ARGV[1])
			return 1`,
			`if redis.call("get", KEYS[2]) == ARGV[1] then redis.call("del", KEYS[2]) end return 1`),
		writer: side(`
			if redis.call("exists", KEYS[1]) == 1 or redis.call("exists", KEYS[2]) == 1 then return 0 end
			redis.call("set", KEYS[1], ARGV[1])
			return 1`,
			`return redis.call("del", KEYS[1])`),
	}
}

// oneSession knows its own key by the value of its process: a thread that finds it takes the lock for one that it
// has, as after an answer that was lost.
func oneSession(c *cell.Client) lock.Locker {
	client := connect(c)
	return locker{
		acquire: func(ctx context.Context) error {
			for ctx.Err() == nil {
				ok, err := client.SetNX(ctx, c.LockName(), c.Name(), c.TTL()).Result()
				if err != nil || ok {
					return err
				}
				if value, err := client.Get(ctx, c.LockName()).Result(); err == nil && value == c.Name() {
					return nil
				}
				c.Clock().Sleep(steady())
			}
			return ctx.Err()
		},
		release: func(ctx context.Context) error {
			return deleteNamed.Run(ctx, client, []string{c.LockName()}, c.Name()).Err()
		},
	}
}

// permitsOfTheDead counts permits, which nothing ends but their release.
func permitsOfTheDead(c *cell.Client) lock.PermitSemaphore {
	return undying{leasedPermits{c, connect(c)}}
}

type undying struct{ leasedPermits }

func (s undying) Acquire(ctx context.Context) (lock.Lease, error) { return s.AcquireN(ctx, 1) }

func (s undying) AcquireN(ctx context.Context, _ int) (lock.Lease, error) {
	for n := 0; ctx.Err() == nil; n++ {
		id := fmt.Sprint(s.c.Name(), "#", s.c.Clock().Now().UnixNano(), "#", n)
		ok, err := s.client.Eval(ctx, `
			if redis.call("scard", KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
			return redis.call("sadd", KEYS[1], ARGV[1])`, []string{s.c.LockName()}, id, s.c.Spec().Permits).Bool()
		if err != nil {
			return nil, err
		}
		if ok {
			return undyingPermit{s, id}, nil
		}
		s.c.Clock().Sleep(steady())
	}
	return nil, ctx.Err()
}

func (s undying) ReleaseID(ctx context.Context, id string) error {
	n, err := s.client.SRem(ctx, s.c.LockName(), id).Result()
	if err == nil && n == 0 {
		return lock.ErrNotHeld
	}
	return err
}

type undyingPermit struct {
	of undying
	id string
}

func (p undyingPermit) ID() string                        { return p.id }
func (p undyingPermit) Release(ctx context.Context) error { return p.of.ReleaseID(ctx, p.id) }
