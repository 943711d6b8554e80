package testlocks

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// The owners are locks of which it is not plain whose their key is: it is handed
// over, several are in it, or counts the entries of its owner; and locks whose
// Release cannot help what it leaves. Each has a flaw beside it that is to be
// found.
var owners = []cell.Lock{
	{ID: "test-handed", Summary: "is handed to the first in its queue: sound", Subject: cell.Mutex(queuedWith(vices{kept: asHanded}))},
	{ID: "test-handed-read", Summary: "test-handed with an ownership", Reading: cell.Reading{Ownership: wholeValue}, Subject: cell.Mutex(queuedWith(vices{kept: asHanded}))},
	{ID: "test-handed-veiled", Summary: "test-handed whose queue has other names than the lock: sound", Reading: cell.Reading{Ownership: wholeValue}, Subject: cell.Mutex(queuedWith(vices{kept: asVeiled}))},
	{ID: "test-handed-lies-in-release", Summary: "reports that it has handed over a lock that it had lost", Reading: cell.Reading{Ownership: wholeValue}, Subject: cell.Mutex(queuedWith(vices{kept: asHanded, liesInRelease: true}))},
	{ID: "test-handed-blindly", Summary: "hands over whatever there is", Reading: cell.Reading{Ownership: wholeValue}, Subject: cell.Mutex(queuedWith(vices{kept: asBlindlyHanded}))},
	{ID: "test-sorted-set", Summary: "is the member of a sorted set, with its end as the score: sound", Subject: cell.Mutex(leaseWith(vices{kept: asSortedSet}))},
	{ID: "test-sorted-set-read", Summary: "test-sorted-set with an ownership", Reading: cell.Reading{Ownership: ends}, Subject: cell.Mutex(leaseWith(vices{kept: asSortedSet}))},
	{ID: "test-sorted-set-deletes", Summary: "releases whatever there is", Reading: cell.Reading{Ownership: ends}, Subject: cell.Mutex(leaseWith(vices{kept: asCarelessSet}))},
	{ID: "test-counted", Summary: "counts the entries of its owner, in Redis and in the process: sound", Subject: cell.Reentrant(entriesWith(false))},
	{ID: "test-counted-too-high", Summary: "counts the second entry twice", Subject: cell.Reentrant(entriesWith(true))},
	{ID: "test-tells-of-failure", Summary: "tries to release once, and reports when it could not: sound", Subject: cell.Mutex(releasesOnce(false))},
	{ID: "test-hides-failure", Summary: "tries to release once, and does not report when it could not", Subject: cell.Mutex(releasesOnce(true))},
}

// wholeValue is the view of a lock whose value is the name of its holder.
var wholeValue = model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
	if r.Key != "lock" || r.Value.Type != "string" {
		return nil, nil
	}
	return []model.Share{{Holder: r.Value.Text, Count: 1}}, nil
})

var ends = model.SortedSetOwnership{Key: "lock", Start: cell.Epoch}

// handedBy returns a lock that Release hands to the first of those who wait; queued is
// the name of the caller in the queue.
func handedBy(queued, unless string) *kept {
	with := strings.NewReplacer("QUEUED", queued, "UNLESS", unless).Replace
	return &kept{
		take: redis.NewScript(with(`
local queue, name = "{" .. KEYS[1] .. "}:queue", QUEUED
local holder = redis.call("GET", KEYS[1])
if holder and holder ~= ARGV[1] then
	for _, waiting in ipairs(redis.call("LRANGE", queue, 0, -1)) do
		if waiting == name then return 0 end
	end
	redis.call("RPUSH", queue, name)
	return 0
end
redis.call("LREM", queue, 0, name)
if holder then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
return 1`)),
		give: redis.NewScript(with(`
local queue, name = "{" .. KEYS[1] .. "}:queue", QUEUED
redis.call("LREM", queue, 0, name)
if UNLESS then return 0 end
local next = redis.call("LPOP", queue)
if next then
	redis.call("SET", KEYS[1], string.gsub(next, "^waits:", ""), "PX", 2000)
else
	redis.call("DEL", KEYS[1])
end
return 1`)),
		prolong: prolong,
	}
}

// queuing is a lease whose tries leave the queue.
type queuing struct{ *leaser }

func queuedWith(v vices) cell.NewLock {
	return func(c *cell.Client) lock.Locker { return queuing{leaseWith(v)(c).(*leaser)} }
}

// TryAcquire takes the lock if it is free.
func (q queuing) TryAcquire(ctx context.Context) (lock.Lease, error) {
	g := q.grant()
	taken, err := g.take(ctx)
	if err == nil && !taken {
		err = lock.ErrNotAcquired
	}
	if err != nil {
		return nil, g.abandon(ctx, err)
	}
	return g, nil
}

const notMine = `redis.call("GET", KEYS[1]) ~= ARGV[1]`

var (
	asHanded        = handedBy(`ARGV[1]`, notMine)
	asVeiled        = handedBy(`"waits:" .. ARGV[1]`, notMine)
	asBlindlyHanded = handedBy(`ARGV[1]`, `redis.call("EXISTS", KEYS[1]) == 0`)
)

// asSortedSet has the end of the lease as the score, and removes who has ended
// when somebody comes by.
var asSortedSet = &kept{
	take: redis.NewScript(`
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now)
if redis.call("ZCARD", KEYS[1]) > 0 and not redis.call("ZSCORE", KEYS[1], ARGV[1]) then return 0 end
redis.call("ZADD", KEYS[1], now + ARGV[2], ARGV[1])
return redis.call("PEXPIRE", KEYS[1], 10 * ARGV[2])`),
	give: redis.NewScript(`return redis.call("ZREM", KEYS[1], ARGV[1])`),
	prolong: redis.NewScript(`
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local score = redis.call("ZSCORE", KEYS[1], ARGV[1])
if not score or tonumber(score) <= now then return 0 end
redis.call("ZADD", KEYS[1], now + ARGV[2], ARGV[1])
return redis.call("PEXPIRE", KEYS[1], 10 * ARGV[2])`),
}

var asCarelessSet = &kept{
	take: asSortedSet.take, prolong: asSortedSet.prolong,
	give: redis.NewScript(`return redis.call("DEL", KEYS[1])`),
}

// entryCounter is a re-entrant lock that knows in the process how often its owners
// have entered: only the first entry and the last release are asked of Redis.
type entryCounter struct {
	c      *cell.Client
	client *redis.Client
	// high is the flaw: an entry that is answered in the process counts in Redis as
	// well, and no release takes that back.
	high bool

	mu      sync.Mutex
	entries map[string]int
}

func entriesWith(high bool) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		return &entryCounter{c: c, client: connect(c), high: high, entries: map[string]int{}}
	}
}

// enter counts an entry, and returns how many there are then.
func (l *entryCounter) enter(owner string, n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[owner] += n
	return l.entries[owner]
}

var (
	countUp = redis.NewScript(`
if redis.call("EXISTS", KEYS[1]) == 1 and redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then return 0 end
if ARGV[3] == "again" then redis.call("HINCRBY", KEYS[1], ARGV[1], 1) else redis.call("HSET", KEYS[1], ARGV[1], 1) end
return redis.call("PEXPIRE", KEYS[1], ARGV[2])`)
	countDown = redis.NewScript(`
if redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then return 0 end
if redis.call("HINCRBY", KEYS[1], ARGV[1], -1) <= 0 then redis.call("DEL", KEYS[1]) end
return 1`)
)

func (l *entryCounter) Acquire(ctx context.Context) (lock.Lease, error) {
	owner, _ := lock.Owner(ctx)
	entry := "first"
	if l.enter(owner, 0) > 0 {
		entry = "again"
	}
	for ctx.Err() == nil {
		held, err := 1, error(nil)
		if entry == "first" || l.high {
			held, err = countUp.Run(ctx, l.client, []string{l.c.LockName()}, owner, 20*l.c.TTL().Milliseconds(), entry).Int()
		}
		if err != nil {
			return nil, err
		}
		if held == 1 {
			l.enter(owner, 1)
			return lease{release: func(ctx context.Context) error { return l.leave(ctx, owner) }}, nil
		}
		l.c.Clock().Sleep(steady())
	}
	return nil, ctx.Err()
}

func (l *entryCounter) leave(ctx context.Context, owner string) error {
	if l.enter(owner, -1) > 0 {
		return nil
	}
	n, err := countDown.Run(ctx, l.client, []string{l.c.LockName()}, owner).Int()
	if err == nil && n == 0 {
		return lock.ErrNotHeld
	}
	return err
}

// releasesOnce releases with a single request.
func releasesOnce(hides bool) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		options := redisstore.Options(c)
		options.MaxRetries = -1 // none
		once := redis.NewClient(options)
		c.Cleanup(func() { _ = once.Close() })
		return &onceReleased{Locker: leaseWith(vices{})(c), once: once, hides: hides}
	}
}

type onceReleased struct {
	lock.Locker
	once  *redis.Client
	hides bool
}

func (l *onceReleased) Acquire(ctx context.Context) (lock.Lease, error) {
	held, err := l.Locker.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return &releasedOnce{grant: held.(*grant), of: l}, nil
}

type releasedOnce struct {
	*grant
	of *onceReleased
}

func (r *releasedOnce) Release(ctx context.Context) error {
	n, err := r.kept.give.Run(ctx, r.of.once, []string{r.client.LockName()}, r.value).Int()
	switch {
	case err != nil && r.of.hides && !errors.Is(err, context.Canceled):
		return nil
	case err == nil && n == 0:
		return lock.ErrNotHeld
	}
	return err
}
