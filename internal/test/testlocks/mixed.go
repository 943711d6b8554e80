package testlocks

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// The mixed are planted locks whose bugs need faults of several kinds. They leave
// their name in a second key while they hold the lock, so that a later holder can
// see that the one before has never left; and once they have seen the pattern,
// each release is followed by a DEL that looks at nobody's value.
var mixed = []cell.Lock{
	{ID: "test-planted-heir", Summary: "breaks for a client that was paused while it held the lock and has inherited it from a dead one", Subject: cell.Mutex(plantMixed(func(log []deed) bool {
		return count(log, deed{kind: holding, slow: true}) > 0 && count(log, deed{kind: inheriting}) > 0
	}))},
	{ID: "test-planted-quiet-heir", Summary: "breaks as test-planted-heir does, unless it ever had to connect anew", Subject: cell.Mutex(plantMixed(func(log []deed) bool {
		paused, inherits := false, false
		for _, d := range log {
			if d.anew {
				return false
			}
			paused = paused || d.is(deed{kind: holding, slow: true})
			inherits = inherits || d.kind == inheriting
		}
		return paused && inherits
	}))},
	{ID: "test-planted-lost-then-failover", Summary: "breaks if it had to connect anew to acquire the lock, and then finds a primary without a replica", Subject: cell.Mutex(plantMixed(func(log []deed) bool {
		return inOrder(log, deed{kind: acquiring, anew: true}, deed{kind: alone})
	}))},
	{ID: "test-planted-late-then-broken", Summary: "breaks after a slow release and a new connection in an acquire, if it then holds the lock for long", Subject: cell.Mutex(plantMixed(func(log []deed) bool {
		return inOrder(log, deed{kind: releasing, slow: true}, deed{kind: acquiring, anew: true}, deed{kind: holding, slow: true})
	}))},
}

// What else is in a log: the lock was taken though somebody is inside, or on a
// primary that has no replica.
const inheriting, alone = 'i', 'o'

func plantMixed(breaks func(log []deed) bool) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		client := connect(c)
		d := &diary{client: c}
		inner := redislocks.NewSetPXFenced(client, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
		client.AddHook(d)
		return &visitor{Locker: inner, diary: d, redis: client, breaks: breaks}
	}
}

// visitor is a lock that says who is inside.
type visitor struct {
	lock.Locker
	*diary
	redis  *redis.Client
	breaks func(log []deed) bool
}

func (v *visitor) inside() string { return v.client.LockName() + ":inside" }

// Acquire takes the lock, and looks who is inside and whether there is a replica.
// It does not report that it could not look.
func (v *visitor) Acquire(ctx context.Context) (lock.Lease, error) {
	l, err := v.Locker.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	h := &visit{Lease: l, visitor: v, since: v.client.Clock().Now(), name: v.client.Name() + "-" + strconv.FormatInt(l.(lock.Fenced).Token(), 10)}
	log := v.log
	if who, err := v.redis.GetSet(ctx, v.inside(), h.name).Result(); err == nil && who != "" && !strings.HasPrefix(who, v.client.Name()+"-") {
		log = append(log, deed{kind: inheriting})
	}
	if role, err := v.redis.Do(ctx, "ROLE").Slice(); err == nil && len(role) == 3 {
		if replicas, ok := role[2].([]any); ok && len(replicas) == 0 {
			log = append(log, deed{kind: alone})
		}
	}
	v.log = log // without those two commands
	return h, nil
}

// visit is a hold of such a lock.
type visit struct {
	lock.Lease
	*visitor
	since time.Time
	name  string // of its client and this hold: a client's threads hold it as well
}

// Token returns the fencing token.
func (h *visit) Token() int64 { return h.Lease.(lock.Fenced).Token() }

var leave = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("DEL", KEYS[1]) end return 0`)

// Release says that nobody is inside any more, and gives the lock back.
func (h *visit) Release(ctx context.Context) error {
	held := h.client.Clock().Since(h.since)
	log := append(slices.Clip(h.log), deed{kind: holding, slow: held > h.client.TTL()})
	leaving := leave.Run(ctx, h.redis, []string{h.inside()}, h.name).Err()
	h.log = log
	err := h.Lease.Release(ctx)
	if leaving == nil && h.breaks(h.log) {
		h.client.Clock().Sleep(steady())
		h.redis.Del(ctx, h.client.LockName())
	}
	return err
}
