package redis_test

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/internal/test/verdicts"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// handOff is a lock whose Release writes the name of the next waiter into the key. Those
// who wait stand in a list beside it, and look for their name.
type handOff struct {
	rdb   *redis.Client
	clock func() time.Time
	key   string
	name  string
	ttl   time.Duration
	leave *redis.Script // of a Release
	clean *redis.Script // of an Acquire that fails

	calls *atomic.Int64 // of all threads
	me    string        // in an acquisition: name and number of the call
}

var (
	// handOffTake takes a free lock, finds that it was handed over, or queues.
	handOffTake = redis.NewScript(`
local owner = redis.call('GET', KEYS[1])
if owner == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1 end
if not owner then
  redis.call('LREM', KEYS[2], 0, ARGV[1])
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
redis.call('LREM', KEYS[2], 0, ARGV[1])
redis.call('RPUSH', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2] * 4)
return 0`)
	// handOffLeave leaves the queue and passes on what the client has.
	handOffLeave = redis.NewScript(`
redis.call('LREM', KEYS[2], 0, ARGV[1])
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local next = redis.call('LPOP', KEYS[2])
if next then redis.call('SET', KEYS[1], next, 'PX', ARGV[2]) else redis.call('DEL', KEYS[1]) end
return 1`)
	// handOffAnyway passes on what somebody has, maybe another.
	handOffAnyway = redis.NewScript(`
redis.call('LREM', KEYS[2], 0, ARGV[1])
local next = redis.call('LPOP', KEYS[2])
if next then redis.call('SET', KEYS[1], next, 'PX', ARGV[2]) else redis.call('DEL', KEYS[1]) end
return 1`)
)

func newHandOff(leave, clean *redis.Script) func(c *cell.Client) lock.Locker {
	return func(c *cell.Client) lock.Locker { return handingOff(c, leave, clean) }
}

func handingOff(c *cell.Client, leave, clean *redis.Script) *handOff {
	return &handOff{rdb: redisstore.Connect(c), clock: c.Clock().Now, key: c.LockName(), name: c.Name(), ttl: c.TTL(), leave: leave, clean: clean, calls: new(atomic.Int64)}
}

// begin is an acquisition, with a name of its own.
func (l *handOff) begin() *handOff {
	a := *l
	a.me = l.name + "#" + strconv.FormatInt(l.calls.Add(1), 10)
	return &a
}

func (l *handOff) run(ctx context.Context, s *redis.Script) (bool, error) {
	n, err := s.Run(ctx, l.rdb, []string{l.key, l.key + ":queue"}, l.me, l.ttl.Milliseconds()).Int()
	return n == 1, err
}

func (l *handOff) Acquire(ctx context.Context) (lock.Lease, error) {
	l = l.begin()
	for {
		asked := l.clock()
		if mine, err := l.run(ctx, handOffTake); err == nil && mine && l.clock().Before(asked.Add(l.ttl)) {
			return leased{l, asked.Add(l.ttl)}, nil
		}
		if !wait(ctx, 50*time.Millisecond) {
			l.cleanUp()
			return nil, ctx.Err()
		}
	}
}

func (l *handOff) cleanUp() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, _ = l.run(ctx, l.clean)
}

func (l *handOff) Release(ctx context.Context) error { return held(l.run(ctx, l.leave)) }

// freeValue is a lock that is free if its key has a value that says so, of who gave it up.
type freeValue struct{ handOff }

var (
	freeValueTake = redis.NewScript(`
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] and string.sub(owner, 1, 5) ~= 'free:' then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)
	freeValueLeave = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'free:' .. ARGV[1], 'PX', ARGV[2])
return 1`)
	// freeAnyway frees what somebody has, maybe another.
	freeAnyway = redis.NewScript(`
redis.call('SET', KEYS[1], 'free:' .. ARGV[1], 'PX', ARGV[2])
return 1`)
)

// valued is how to read both locks.
var valued = model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
	if r.Key != cell.LockName || strings.HasPrefix(r.Value.Text, "free:") {
		return nil, nil
	}
	return []model.Share{{Holder: r.Value.Text, Count: 1}}, nil
})

func newFreeValue(leave, clean *redis.Script) func(c *cell.Client) lock.Locker {
	return func(c *cell.Client) lock.Locker { return &freeValue{*handingOff(c, leave, clean)} }
}

func (l *freeValue) Acquire(ctx context.Context) (lock.Lease, error) {
	l = &freeValue{*l.begin()}
	for {
		asked := l.clock()
		mine, err := l.run(ctx, freeValueTake)
		if err == nil && mine && l.clock().Before(asked.Add(l.ttl)) {
			return leased{l, asked.Add(l.ttl)}, nil
		}
		if err != nil {
			l.cleanUp()
		}
		if !wait(ctx, 50*time.Millisecond) {
			return nil, ctx.Err()
		}
	}
}

// leased is a lease that says until when it is valid.
type leased struct {
	lock.Lease
	until time.Time
}

func (l leased) Until() time.Time { return l.until }

func held(mine bool, err error) error {
	if err == nil && !mine {
		return lock.ErrNotHeld
	}
	return err
}

func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// handedOver is one of these locks, with how to read it, nil if it is the value of its key.
func handedOver(newLock func(*cell.Client) lock.Locker, reading model.Ownership) cell.Lock {
	return cell.Lock{ID: "handed-over", Summary: "a lock", Store: redisstore.Store, Subject: cell.Mutex(newLock), Reading: cell.Reading{Ownership: reading}}
}

// TestHandedOver: who gives such a lock up writes a value in place of its own. That is no grant
// to the writer, who is not blamed for it, nor is anybody for taking it.
func TestHandedOver(t *testing.T) {
	slowtest.SkipIfShort(t)
	schedules, only := 300, []string(nil)
	if testing.Short() {
		schedules, only = 60, []string{"storm", "partition", "hung-node"}
	}
	for name, newLock := range map[string]func(*cell.Client) lock.Locker{
		"hand-off":   newHandOff(handOffLeave, handOffLeave),
		"free value": newFreeValue(freeValueLeave, freeValueLeave),
	} {
		for how, reading := range map[string]model.Ownership{"its value": nil, "an Ownership": valued} {
			t.Run(name+", by "+how, func(t *testing.T) {
				found, limits := verdicts.Of(t, handedOver(newLock, reading), schedules, only...)
				if len(found) > 0 || limits == 0 {
					t.Errorf("faults %v, %d limits", found, limits)
				}
			})
		}
	}
}

// TestHandedOverWrongly: their twins, which write over what another has.
func TestHandedOverWrongly(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, e := range []struct {
		name, scenario string
		newLock        func(*cell.Client) lock.Locker
	}{
		{"hand-off by a Release", "gc-pause", newHandOff(handOffAnyway, handOffLeave)},
		{"hand-off by a clean-up", "cancel", newHandOff(handOffLeave, handOffAnyway)},
		{"free value of a Release", "gc-pause", newFreeValue(freeAnyway, freeValueLeave)},
		{"free value of a clean-up", "hung-node", newFreeValue(freeValueLeave, freeAnyway)},
	} {
		for how, reading := range map[string]model.Ownership{"its value": nil, "an Ownership": valued} {
			if testing.Short() && reading == nil {
				continue
			}
			t.Run(e.name+", by "+how, func(t *testing.T) {
				found, _ := verdicts.Of(t, handedOver(e.newLock, reading), 200, e.scenario)
				if found[checker.MutualExclusion] == "" {
					t.Errorf("found %v", found)
				}
			})
		}
	}
}
