package scenarios_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios"
	stagepkg "github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// untilLock is SET NX PX, with leases that say their end.
type untilLock struct {
	client *goredis.Client
	name   string
	ttl    time.Duration
	now    func() time.Time
	late   bool // counts the lease from the answer, and not from before the request
}

type untilLease struct {
	untilLock
	value string
	until time.Time
}

func (l untilLease) Until() time.Time { return l.until }

func (l untilLock) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		value, start := rand.Text(), l.now()
		ok, err := l.client.SetNX(ctx, l.name, value, l.ttl).Result()
		if l.late {
			start = l.now()
		}
		switch until := start.Add(l.ttl); {
		case err != nil:
			return nil, err
		case ok && l.now().Before(until):
			return untilLease{l, value, until}, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (l untilLease) Release(ctx context.Context) error {
	return l.client.Eval(ctx, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end`, []string{l.name}, l.value).Err()
}

// TestLeaseClock: the end of a lease is read by the clock that the lock goes by. A lock that asks for no clock goes by package time, which
// is right, and a clock of its process that is off is no fault of it. It is at fault nevertheless if it claims more than it was granted.
// If it goes by a clock of its process, an error of that clock is a limit, and jumps do not concern one that does not jump.
func TestLeaseClock(t *testing.T) {
	packageTime := func(*cell.Client) func() time.Time { return time.Now }
	// timers goes by package time too, and has a clock for timers, which it never asks for the time.
	timers := func(c *cell.Client) func() time.Time { c.Clock(); return time.Now }
	clock := func(c *cell.Client) func() time.Time { return c.Clock().Now }
	monotonic := func(c *cell.Client) func() time.Time { return c.Monotonic().Now }
	for _, test := range []struct {
		name string
		now  func(*cell.Client) func() time.Time
		late bool
		// Which violations there are, and the happenings that occur: a clock that was off, a jump.
		fault, limit bool
		happened     uint64
	}{
		{"package time", packageTime, false, false, false, 0},
		{"package time, from the answer", packageTime, true, true, false, 0},
		{"package time, and timers of the clock", timers, false, false, false, 0b01},
		{"clock", clock, false, false, true, 0b11},
		{"clock, from the answer", clock, true, true, true, 0b11},
		{"clock without jumps", monotonic, false, false, true, 0b01},
		{"clock without jumps, from the answer", monotonic, true, true, true, 0b01},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := cell.Lock{ID: "until", Summary: "says its end", Store: redis.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
				return untilLock{redis.Connect(c), c.LockName(), c.TTL(), test.now(c), test.late}
			})}
			c, err := scenarios.Registry([]cell.Lock{l}).Cell("clock-skew", l.ID, nil)
			if err == nil {
				err = c.Set("pauses", "1")
			}
			if err != nil {
				t.Fatal(err)
			}
			var fault, limit *model.Verdict
			happened := uint64(0)
			for schedule := range 200 {
				o := c.Run(explore.Run{Tape: explore.Random(1, schedule)})
				for _, v := range o.Verdicts {
					switch {
					case v.Property != "lease-honesty" || v.Status != model.Violated:
					case v.Limit:
						limit = &v
					default:
						fault = &v
					}
				}
				happened |= o.Happened
			}
			if (fault != nil) != test.fault || (limit != nil) != test.limit {
				t.Errorf("a fault: %+v, want one: %v; a limit: %+v, want one: %v", fault, test.fault, limit, test.limit)
			}
			if happened != test.happened {
				t.Errorf("happenings %b, want %b", happened, test.happened)
			}
		})
	}
}

// TestLeaseClockOfAProgram: a program's lock ends by the clock that its process reads, in whichever of its lives. One that reads none cannot
// be struck by a clock that is off, though it sleeps by its process's clock, and is at fault itself if it claims too much.
func TestLeaseClockOfAProgram(t *testing.T) {
	hold := func(late, sleeps bool, clock func(p *cell.Process) func() time.Time) cell.Program {
		return cell.Program{ID: "holds", Stores: []stagepkg.Store{redis.Store}, Rules: []program.Rule{program.Sometimes("held")}, Main: func(p *cell.Process) error {
			client, sleep := redis.Connect(p), time.Sleep
			if sleeps {
				sleep = p.Clock().Sleep
			}
			for range 10 { // a crash may come before the first look at the clock
				if err := client.Ping(p.Context()).Err(); err != nil {
					return nil
				}
				time.Sleep(p.TTL() / 10)
			}
			now := clock(p)
			held, err := p.Watch("lock", untilLock{client, "lock", p.TTL(), now, late}).Acquire(p.Context())
			if err != nil {
				return nil
			}
			for until := held.(lock.Expirer).Until().Add(-5 * time.Millisecond); now().Before(until); {
				sleep(4 * time.Millisecond)
			}
			p.Sometimes(true, "held")
			_ = held.Release(p.Context())
			return nil
		}}
	}
	packageTime := func(*cell.Process) func() time.Time { return time.Now }
	clock := func(p *cell.Process) func() time.Time { return p.Clock().Now }
	for _, test := range []struct {
		name, scenario, fault string
		program               cell.Program
		happens, limit        bool
	}{
		{"package time", "clock-skew", "", hold(false, false, packageTime), false, false},
		{"package time, and sleeps by the clock", "gc-pause", "", hold(false, true, packageTime), true, false},
		{"package time, from the answer", "late-reply", model.ClaimedLonger, hold(true, false, packageTime), true, false},
		{"clock", "holder-crash", "", hold(false, false, clock), true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, err := test.program.Lock()
			if err != nil {
				t.Fatal(err)
			}
			c, err := scenarios.Registry([]cell.Lock{l}).Cell(test.scenario, l.ID, nil)
			if err == nil {
				err = c.Set("skews", "2")
			}
			if err != nil {
				t.Fatal(err)
			}
			fault, limit, happened := "", false, uint64(0)
			for schedule := range 100 {
				o := c.Run(explore.Run{Tape: explore.Random(1, schedule)})
				for _, v := range o.Verdicts {
					if v.Property == "lease-honesty" && v.Status == model.Violated {
						if limit = limit || v.Limit; !v.Limit {
							fault = v.Cause
						}
					}
				}
				happened |= o.Happened
			}
			if fault != test.fault || limit != test.limit || (happened&1 != 0) != test.happens {
				t.Errorf("fault %q, limit %t, happenings %b; want %q, %t, and the first: %t", fault, limit, happened, test.fault, test.limit, test.happens)
			}
		})
	}
}
