package redislocks_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/redislocktest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// TestCommands counts what 16 contenders in four processes ask of a server,
// each acquiring twice and holding for 30 ms. A lock whose waiters are notified asks
// for less than half of what one that polls does every 10 to 20 ms.
func TestCommands(t *testing.T) {
	server := realredis.Start(t)
	per := map[string]float64{}
	for _, l := range []struct {
		id   string
		make func(*redis.Client) lock.Locker
	}{
		{"setpx", func(c *redis.Client) lock.Locker {
			return redislocks.NewSetPX(c, name, redislocks.Options{MinSleep: 10 * time.Millisecond, RandomSleep: 10 * time.Millisecond})
		}},
		{"reentrant", func(c *redis.Client) lock.Locker {
			return redislocks.NewReentrant(c, name, redislocks.Options{})
		}},
		{"fair", func(c *redis.Client) lock.Locker {
			return redislocks.NewFair(c, name, redislocks.FairOptions{})
		}},
	} {
		server.Flush(t)
		s := newStand(t, server, redislocktest.Lock{})
		start := time.Now()
		counts := s.contend(l.make)
		per[l.id] = float64(counts["set"]+counts["evalsha"]+counts["eval"]+counts["subscribe"]+counts["ping"]) / 32
		t.Logf("%s: %.1f requests for an acquisition and release, in %v: %v", l.id, per[l.id], time.Since(start).Round(time.Millisecond), counts)
	}
	for _, id := range []string{"reentrant", "fair"} {
		if per[id] > per["setpx"]/2 {
			t.Errorf("%s needs %.1f requests where setpx, which polls, needs %.1f", id, per[id], per["setpx"])
		}
	}
}

// TestCommandsAlone pins what a server executes for an acquisition and a release
// of a lock that nobody else wants: two requests, and what their scripts call.
func TestCommandsAlone(t *testing.T) {
	server := realredis.Start(t)
	var o redislocks.Options
	for _, test := range []struct {
		id       string
		commands int
		make     func(*redis.Client) lock.Locker
	}{
		{"setpx", 4, maker("setpx")},
		{"setpx-fenced", 6, maker("setpx-fenced")},
		{"pull", 5, maker("pull")},
		{"reentrant", 7, func(c *redis.Client) lock.Locker { return redislocks.NewReentrant(c, name, o) }},
		{"watchdog", 7, func(c *redis.Client) lock.Locker {
			return redislocks.NewWatchdog(c, name, redislocks.WatchdogOptions{})
		}},
		{"fair", 7, func(c *redis.Client) lock.Locker { return redislocks.NewFair(c, name, redislocks.FairOptions{}) }},
		{"readwrite, a reader", 11, func(c *redis.Client) lock.Locker { return redislocks.NewReadWrite(c, name, o).Reader() }},
		{"readwrite, a writer", 11, func(c *redis.Client) lock.Locker { return redislocks.NewReadWrite(c, name, o).Writer() }},
		{"semaphore", 7, func(c *redis.Client) lock.Locker { return redislocks.NewSemaphore(c, name, 2, o) }},
		{"permit-semaphore", 10, func(c *redis.Client) lock.Locker { return redislocks.NewPermitSemaphore(c, name, 2, o) }},
	} {
		t.Run(test.id, func(t *testing.T) {
			realredis.Need(t)
			client, sent := server.Client(t, nil), new(redislocktest.Spy)
			client.AddHook(sent)
			l := test.make(client)
			for range 2 { // the first one connects, and loads the scripts
				if err := client.ConfigResetStat(t.Context()).Err(); err != nil {
					t.Fatal(err)
				}
				sent.Take()
				if err := acquire(t.Context(), t, l).Release(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			requests, commands := sent.Sent(), 0
			counts := (newStand(t, server, redislocktest.Lock{})).commandstats()
			for command, n := range counts {
				if !strings.HasPrefix(command, "client|") && !slices.Contains(ofTheTest, command) {
					commands += n
				}
			}
			if requests != 2 || commands != test.commands {
				t.Errorf("%d requests and %d commands, %v; want 2 and %d", requests, commands, counts, test.commands)
			}
		})
	}
}

// ofTheTest are commands that the test sends, or that set connections up, as those
// do whose names begin with client.
var ofTheTest = []string{"info", "config|resetstat", "hello"}

// contend runs the contenders, and answers how often the server was asked for
// what. What scripts call counts as well.
func (s *stand) contend(make func(*redis.Client) lock.Locker) map[string]int {
	var done sync.WaitGroup
	for range 4 {
		l := make(s.Server.Client(s.T, nil))
		if c, ok := l.(interface{ Close() error }); ok {
			closeAtEnd(s.T, c)
		}
		for range 4 {
			done.Go(func() {
				for range 2 {
					lease, err := s.Acquire(l, 2*soon)
					if err != nil {
						s.T.Error(err)
						return
					}
					time.Sleep(30 * time.Millisecond)
					s.freed(lease)
				}
			})
		}
	}
	done.Wait()
	return s.commandstats()
}

var commandstat = regexp.MustCompile(`cmdstat_([a-z|]+):calls=(\d+)`)

func (s *stand) commandstats() map[string]int {
	s.T.Helper()
	info, err := s.Server.Client(s.T, nil).Info(s.T.Context(), "commandstats").Result()
	if err != nil {
		s.T.Fatal(err)
	}
	counts := map[string]int{}
	for _, m := range commandstat.FindAllStringSubmatch(info, -1) {
		counts[m[1]], _ = strconv.Atoi(m[2])
	}
	if len(counts) == 0 {
		s.T.Fatal(fmt.Errorf("no counts in %q", info))
	}
	return counts
}
