package scenarios_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// tended asks for its key every millisecond. Its process has a watchdog, which prolongs the
// key every third of a lease: while it has the value of the process, or whoever has it.
type tended struct {
	vices
	client *redis.Client
	of     *cell.Client
	ctx    context.Context
	stop   context.CancelFunc

	mu   sync.Mutex // never held while anything is waited for
	next clockwork.Timer
}

// vices are what is odd in a lock of this kind.
type vices struct {
	anyone    bool // the watchdog prolongs any key
	impatient bool // who has found the key taken fifty times gives up
	spins     bool // who has found the key taken waits for no time at all
}

func newTended(v vices) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		l := &tended{vices: v, client: redis.NewClient(redisstore.Options(c)), of: c}
		l.ctx, l.stop = context.WithCancel(context.Background())
		c.Cleanup(l.end)
		return l
	}
}

func (l *tended) Acquire(ctx context.Context) (lock.Lease, error) {
	l.begin()
	for try := 0; ctx.Err() == nil; try++ {
		ok, err := l.client.SetNX(ctx, l.of.LockName(), l.of.Name(), l.of.TTL()).Result()
		if err != nil {
			return nil, err
		}
		if ok {
			return l, nil
		}
		if l.impatient && try == 50 {
			return nil, lock.ErrNotAcquired
		}
		for l.spins && ctx.Err() == nil {
			l.of.Clock().Sleep(0)
		}
		l.of.Clock().Sleep(time.Millisecond)
	}
	return nil, ctx.Err()
}

func (l *tended) Release(ctx context.Context) error {
	held, err := l.client.Eval(ctx, `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`,
		[]string{l.of.LockName()}, l.of.Name()).Bool()
	if err == nil && !held {
		err = lock.ErrNotHeld
	}
	return err
}

func (l *tended) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next = l.of.Clock().AfterFunc(l.of.TTL()/3, l.prolong)
	}
}

func (l *tended) prolong() {
	script := `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`
	if l.anyone {
		script = `return redis.call('PEXPIRE', KEYS[1], ARGV[2])`
	}
	_ = l.client.Eval(l.ctx, script, []string{l.of.LockName()}, l.of.Name(), l.of.TTL().Milliseconds()).Err()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() == nil {
		l.next.Reset(l.of.TTL() / 3)
	}
}

func (l *tended) end() {
	l.stop()
	_ = l.client.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next != nil {
		l.next.Stop()
	}
}

// TestStarving: a client that starves is found by virtual time, however many events the run
// has: with a watchdog that prolongs whatever key is there a crashed holder's key stays for
// ever. A run in which time hardly passes decides nothing, and neither does one that is cut
// after a number of events.
func TestStarving(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, test := range []struct {
		name      string
		scenario  string
		schedules int
		vices     vices
		events    string
		want      []model.Status // that occur
		cut       string
	}{
		{name: "a watchdog for any key", scenario: "holder-crash", schedules: 30, vices: vices{anyone: true}, want: []model.Status{model.Holds, model.Violated}, cut: "no client had got on for"},
		{name: "a watchdog for any key, and clients that ask anew", scenario: "holder-crash", schedules: 30, vices: vices{anyone: true, impatient: true}, want: []model.Status{model.Holds, model.Violated}, cut: "no client had got on for"},
		{name: "a watchdog for the own key", scenario: "holder-crash", schedules: 30, want: []model.Status{model.Holds}},
		{name: "time does not pass", scenario: "contention", schedules: 3, vices: vices{spins: true}, want: []model.Status{model.Undecided}, cut: "within a second of virtual time"},
		{name: "events are limited", scenario: "holder-crash", schedules: 30, vices: vices{anyone: true}, events: "20000", want: []model.Status{model.Holds, model.Undecided}, cut: "after 20000 events"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := cell.Lock{ID: "tended", Store: redisstore.Store, Subject: cell.Mutex(newTended(test.vices))}
			c, err := scenarios.Registry([]cell.Lock{l}).Cell(test.scenario, "tended", nil)
			if err == nil && test.events != "" {
				err = c.Set("events", test.events)
			}
			if err != nil {
				t.Fatal(err)
			}
			came := map[model.Status]int{}
			for schedule := range test.schedules {
				out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
				if out.Failure != nil {
					t.Fatal(out.Failure.Reason, out.Failure.Stack)
				}
				h := &out.Recording.History
				v := checker.Check(h, c.Judging(), checker.Progress)[0]
				came[v.Status]++
				if h.Cut != "" && c.Run(explore.Run{Tape: explore.Random(1, schedule)}).Hash != out.Hash {
					t.Errorf("schedule %d: it was cut, and another run of it differs", schedule)
				}
				if (h.Cut == "") != (v.Status == model.Holds) || !strings.Contains(h.Cut, test.cut) && h.Cut != "" {
					t.Errorf("schedule %d: %s (%s), and the run was cut: %q", schedule, v.Status, v.Sentence, h.Cut)
				}
			}
			for _, s := range test.want {
				if came[s] == 0 {
					t.Errorf("%s in no schedule: %v", s, came)
				}
				delete(came, s)
			}
			if len(came) > 0 {
				t.Errorf("also %v", came)
			}
		})
	}
}
