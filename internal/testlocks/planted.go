package testlocks

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// The planted locks are fenced locks that keep count of commands that were slow
// to be answered, and hand out a token twice when these have come in a certain
// pattern: bugs that need several faults, each at the right place.
var planted = []scenarios.Lock{
	{ID: "test-planted-3", Summary: "breaks after three slow commands in a row", New: plant(func(slow []bool, _ []byte) bool {
		n := len(slow)
		return n >= 3 && slow[n-1] && slow[n-2] && slow[n-3]
	})},
	{ID: "test-planted-4", Summary: "breaks after two slow acquires and two slow releases", New: plant(func(slow []bool, kinds []byte) bool {
		count := map[byte]int{}
		for i := range slow {
			if slow[i] {
				count[kinds[i]]++
			}
		}
		return count[acquiring] >= 2 && count[releasing] >= 2
	})},
	{ID: "test-planted-5", Summary: "breaks after five slow commands, acquires and releases in turn", New: plant(func(slow []bool, kinds []byte) bool {
		run := 0
		var last byte
		for i := range slow {
			switch {
			case !slow[i]:
			case kinds[i] != last:
				run, last = run+1, kinds[i]
			default:
				run = 1
			}
		}
		return run >= 5
	})},
}

const acquiring, releasing = 'a', 'r'

// plant makes a lock that breaks when the pattern matches what became of its
// commands so far.
func plant(breaks func(slow []bool, kinds []byte) bool) scenarios.NewLock {
	return func(c *scenarios.Client) lock.Locker {
		client := connect(c)
		timer := &stopwatch{client: c}
		client.AddHook(timer)
		inner := redislocks.NewSetPXFenced(client, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
		return brittle{inner, func() bool { return breaks(timer.slow, timer.kinds) }}
	}
}

// brittle is a fenced lock whose tokens stand still once it is broken.
type brittle struct {
	lock.Locker
	broken func() bool
}

func (b brittle) Acquire(ctx context.Context) (lock.Lease, error) {
	l, err := b.Locker.Acquire(ctx)
	if err != nil || !b.broken() {
		return l, err
	}
	return stale{l}, nil
}

type stale struct{ lock.Lease }

func (stale) Token() int64 { return 1 }

// stopwatch is a hook of go-redis that times commands.
type stopwatch struct {
	client *scenarios.Client
	slow   []bool
	kinds  []byte
}

func (s *stopwatch) DialHook(next redis.DialHook) redis.DialHook { return next }

func (s *stopwatch) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (s *stopwatch) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		start := s.client.Clock().Now()
		err := next(ctx, cmd)
		kind := byte(releasing)
		if args := cmd.Args(); len(args) > 2 && (args[2] == 2 || args[2] == int64(2)) { // both keys: the lock and its counter
			kind = acquiring
		}
		s.slow = append(s.slow, s.client.Clock().Since(start) > s.client.TTL()/2)
		s.kinds = append(s.kinds, kind)
		return err
	}
}

var _ redis.Hook = (*stopwatch)(nil)
