package lab_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// sixThreads is two processes of three threads that each acquire ten times.
func sixThreads(work func(*lab.Thread)) lab.Plan {
	return lab.Plan{
		Store: redisstore.Store, Params: stage.Params{TTL: 10 * time.Second}, Processes: 2, Threads: 3,
		Latency: lab.Latency{Median: 20 * time.Microsecond}, Costs: lab.Costs{"": 10 * time.Microsecond}, Limit: time.Minute,
		Client: func(c *cell.Client) func(*lab.Thread) {
			client := redis.NewClient(redisstore.Options(c))
			c.Cleanup(func() { _ = client.Close() })
			locker := redislocks.NewSetPX(client, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
			return func(t *lab.Thread) {
				for range 10 {
					if h := t.Acquire(locker, 0); h != nil {
						t.Sleep(time.Millisecond)
						_ = t.Release(h)
					}
				}
				if work != nil {
					work(t)
				}
			}
		},
	}
}

// servers are a real Redis.
func servers(t *testing.T) lab.Servers {
	server, requests := realredis.Start(t), new(realredis.Requests)
	return lab.Servers{
		Addresses: []string{server.Addr}, Dial: requests.Dial,
		Requests: func(context.Context) (map[string]map[string]int, error) {
			return map[string]map[string]int{"redis1": requests.At(server.Addr)}, nil
		},
	}
}

// A sample of real servers has what one in virtual time has.
func TestReal(t *testing.T) {
	on := servers(t)
	before := runtime.NumGoroutine()
	plan := sixThreads(nil)
	plan.Moment = 10 * time.Millisecond
	got, err := plan.Real(t.Context(), 1, on)
	if err != nil {
		t.Fatal(err)
	}
	realserver.Settled(t, before)
	want, _, err := lab.Run(sixThreads(nil), lab.Tape(1), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*lab.Sample{got, want} {
		if s.Count(lab.Acquired) != 60 || s.Overlaps() != 0 || s.Cut != "" || s.Elapsed < 60*time.Millisecond {
			t.Errorf("a run of 60 holds of a millisecond: %d acquired, %d overlaps, cut %q, in %v", s.Count(lab.Acquired), s.Overlaps(), s.Cut, s.Elapsed)
		}
		if n := s.Served("redis1", "EVAL", "EVALSHA"); n < 60 || n > 70 {
			t.Errorf("60 releases are %d scripts: %v", n, s.Requests)
		}
		if s.Served("redis1", "SET", "SETNX") < 60 {
			t.Errorf("60 acquisitions: %v", s.Requests)
		}
	}
	sent := 0
	for _, n := range got.Moments {
		sent += n
	}
	if sent < 120 || len(got.Moments) < 6 {
		t.Errorf("clients have sent %d segments in %d moments: %v", sent, len(got.Moments), got.Moments)
	}
	if got.Received < 120 {
		t.Errorf("clients have received %d segments", got.Received)
	}
}

// A run that is interrupted, one that takes too long and one that panics end, and leave nothing.
func TestRealEnds(t *testing.T) {
	on := servers(t)
	before := runtime.NumGoroutine()
	asleep := sixThreads(func(t *lab.Thread) { t.Sleep(time.Hour) })

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	if _, err := asleep.Real(ctx, 1, on); !errors.Is(err, context.Canceled) {
		t.Errorf("the error of an interrupted run is %v", err)
	}
	asleep.Limit = 300 * time.Millisecond
	if s, err := asleep.Real(t.Context(), 1, on); err != nil || !strings.Contains(s.Cut, "300ms") {
		t.Errorf("a run that takes too long: %+v, %v", s, err)
	}
	wrong := sixThreads(func(*lab.Thread) { panic("wrong") })
	if _, err := wrong.Real(t.Context(), 1, on); err == nil || !strings.Contains(err.Error(), "the run failed: wrong") {
		t.Errorf("the error of a run that panics is %v", err)
	}
	realserver.Settled(t, before)
}
