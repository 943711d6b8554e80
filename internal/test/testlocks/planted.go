package testlocks

import (
	"context"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// The planted locks are sound locks that keep a log of their commands and holds, and misbehave once that matches a
// pattern: bugs that need several faults, each at the right place, or the right orders. Most are fenced locks that issue a
// token twice, which breaks fencing; where failovers break that anyway, they delete the key of any holder, which breaks
// owner-only release.
var planted = []cell.Lock{
	{ID: "test-planted-3", Summary: "breaks after three slow commands in a row", Subject: cell.Mutex(plant(repeatToken, func(log []deed) bool {
		list := commands(log)
		n := len(list)
		return n >= 3 && list[n-1].slow && list[n-2].slow && list[n-3].slow
	}))},
	{ID: "test-planted-4", Summary: "breaks after two slow acquires and two slow releases", Subject: cell.Mutex(plant(repeatToken, func(log []deed) bool {
		return count(log, deed{kind: acquiring, slow: true}) >= 2 && count(log, deed{kind: releasing, slow: true}) >= 2
	}))},
	{ID: "test-planted-5", Summary: "breaks after five slow commands, acquires and releases in turn", Subject: cell.Mutex(plant(repeatToken, alternating))},
	{ID: "test-planted-hold", Summary: "breaks after a long hold, a slow release and another long hold", Subject: cell.Mutex(plant(repeatToken, func(log []deed) bool {
		return inOrder(log, deed{kind: holding, slow: true}, deed{kind: releasing, slow: true}, deed{kind: holding, slow: true})
	}))},
	{ID: "test-planted-resets", Summary: "breaks after it had to connect anew in a release, an acquire and a release", Subject: cell.Mutex(plant(repeatToken, func(log []deed) bool {
		return inOrder(log, deed{kind: releasing, anew: true}, deed{kind: acquiring, anew: true}, deed{kind: releasing, anew: true})
	}))},
	{ID: "test-planted-failover", Summary: "breaks if a failover met its release, and later a long hold ended in a slow release", Subject: cell.Mutex(plant(deleteAny, func(log []deed) bool {
		return inOrder(log, deed{kind: releasing, anew: true}, deed{kind: holding, slow: true}, deed{kind: releasing, slow: true})
	}))},
	{ID: "test-planted-calm", Summary: "breaks if the first release and the third acquire were slow and nothing else", Subject: cell.Mutex(plant(repeatToken, func(log []deed) bool {
		releases, acquires, slow := 0, 0, 0
		for i, d := range log {
			last := i+1 == len(log) || log[i+1].kind != acquiring
			switch {
			case d.kind == releasing:
				releases++
			case d.kind == acquiring && last:
				acquires++
			}
			spot := d.kind == releasing && releases == 1 || d.kind == acquiring && last && acquires == 3
			if d.slow && !spot || d.anew {
				return false
			}
			if d.slow {
				slow++
			}
		}
		return slow == 2
	}))},
	{ID: "test-planted-order", Summary: "breaks if others had the lock not at all, three times and not at all between its turns", Subject: cell.Mutex(plant(repeatToken, func(log []deed) bool {
		var gaps []int64
		for _, d := range log {
			if d.kind == holding {
				gaps = append(gaps, d.between)
			}
		}
		n := len(gaps)
		return n >= 4 && gaps[n-3] == 0 && gaps[n-2] == 3 && gaps[n-1] == 0
	}))},
	{ID: "test-planted-mixed", Summary: "breaks after a long hold, a new connection in a release, a slow acquire and another long hold", Subject: cell.Mutex(plant(repeatToken, func(log []deed) bool {
		return inOrder(log, deed{kind: holding, slow: true}, deed{kind: releasing, anew: true}, deed{kind: acquiring, slow: true}, deed{kind: holding, slow: true})
	}))},
}

const acquiring, releasing, holding = 'a', 'r', 'h'

// deed is an entry of a planted lock's log: a command that tries to take the
// lock, a hold that has ended, or a command that gives the lock back.
type deed struct {
	kind byte
	// slow is set on commands that took longer than half the TTL, and on holds
	// that were longer than it.
	slow bool
	// anew is set if a command had to connect, other than the first.
	anew bool
	// between is the number of other holds since the previous hold.
	between int64
}

// commands returns the deeds except the holds.
func commands(log []deed) (list []deed) {
	for _, d := range log {
		if d.kind != holding {
			list = append(list, d)
		}
	}
	return list
}

// is reports whether it is of the kind and has all marks of the other.
func (d deed) is(o deed) bool {
	return d.kind == o.kind && (d.slow || !o.slow) && (d.anew || !o.anew)
}

func count(log []deed, what deed) (n int) {
	for _, d := range log {
		if d.is(what) {
			n++
		}
	}
	return n
}

// inOrder reports whether the deeds came in that order, with others in between.
func inOrder(log []deed, list ...deed) bool {
	for _, d := range log {
		if len(list) > 0 && d.is(list[0]) {
			list = list[1:]
		}
	}
	return len(list) == 0
}

// alternating reports whether the last five slow commands were acquires and releases in turn.
func alternating(log []deed) bool {
	run := 0
	var last byte
	for _, d := range commands(log) {
		switch {
		case !d.slow:
		case d.kind != last:
			run, last = run+1, d.kind
		default:
			run = 1
		}
	}
	return run >= 5
}

// plant makes a lock that misbehaves once the pattern matches its log.
func plant(misbehave misdeed, breaks func(log []deed) bool) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		client := connect(c)
		d := &diary{client: c}
		client.AddHook(d)
		inner := redislocks.NewSetPXFenced(client, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
		return &brittle{Locker: inner, diary: d, redis: client, misbehave: misbehave, breaks: breaks}
	}
}

// misdeed is the misbehaviour of a broken lock when it is acquired.
type misdeed int

const (
	repeatToken misdeed = iota
	deleteAny
)

// brittle is a fenced lock that breaks.
type brittle struct {
	lock.Locker
	*diary
	redis     *redis.Client
	misbehave misdeed
	breaks    func(log []deed) bool
	last      int64
}

func (b *brittle) Acquire(ctx context.Context) (lock.Lease, error) {
	if b.misbehave == deleteAny && b.breaks(b.log) {
		if err := b.redis.Del(ctx, b.client.LockName()).Err(); err != nil {
			return nil, err
		}
	}
	l, err := b.Locker.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	token := l.(lock.Fenced).Token()
	h := &hold{Lease: l, token: token, diary: b.diary, since: b.client.Clock().Now(), between: token - b.last - 1}
	b.last = token
	if b.misbehave == repeatToken && b.breaks(append(b.log, deed{kind: holding, between: h.between})) {
		h.token = 1
	}
	return h, nil
}

// hold is a hold of a brittle lock.
type hold struct {
	lock.Lease
	*diary
	token   int64
	since   time.Time
	between int64
}

func (h *hold) Token() int64 { return h.token }

func (h *hold) Release(ctx context.Context) error {
	h.log = append(h.log, deed{kind: holding, slow: h.client.Clock().Since(h.since) > h.client.TTL(), between: h.between})
	return h.Lease.Release(ctx)
}

// diary is a hook of go-redis that keeps the log.
type diary struct {
	client *cell.Client
	log    []deed
	dials  int
}

func (s *diary) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		s.dials++
		return next(ctx, network, addr)
	}
}

func (s *diary) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (s *diary) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		start, dials := s.client.Clock().Now(), max(s.dials, 1)
		err := next(ctx, cmd)
		kind := byte(releasing)
		if args := cmd.Args(); len(args) > 2 && (args[2] == 2 || args[2] == int64(2)) { // both keys: the lock and its counter
			kind = acquiring
		}
		s.log = append(s.log, deed{kind: kind, slow: s.client.Clock().Since(start) > s.client.TTL()/2, anew: s.dials > dials})
		return err
	}
}

var _ redis.Hook = (*diary)(nil)
