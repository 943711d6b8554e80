package scenarios_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/sim/simredis"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// BenchmarkSchedule is one schedule of failover-loss with two clients, for
// each lock.
func BenchmarkSchedule(b *testing.B) {
	for _, l := range builtin.Locks() {
		b.Run(l.ID, func(b *testing.B) {
			c := cells.Of(b, "failover-loss", l.ID)
			var events int64
			b.ReportAllocs()
			schedule := 0
			for b.Loop() {
				events += c.Run(explore.Run{Tape: explore.Random(1, schedule)}).Events
				schedule++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "schedules/s")
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkPriceOfControl replays the commands of the calm run, per client, by
// the same go-redis code: in the simulation, without replicas, and in a plain
// synctest bubble straight to miniredis over a pipe. The two take turns, so
// that both see the same machine, and "ours/plain" is the ratio of the median
// times per command.
//
// The plain bubble makes a Lua state for each EVAL, as miniredis does. Where
// there is none, as with setpx-twostep, the ratio is close to 1: each command
// is two events of ours, and each event costs the conductor two calls of
// synctest.Wait and a timer of the bubble, a microsecond and more, before
// anything has happened; what miniredis spends on its goroutines, pipes and
// formatted replies is about as much.
func BenchmarkPriceOfControl(b *testing.B) {
	for _, lock := range measured {
		b.Run(lock, func(b *testing.B) {
			commands := calmCommands(b, cells.Of(b, "failover-loss", lock))
			n := 0
			for _, list := range commands {
				n += len(list)
			}
			var ours, plain timings
			for b.Loop() {
				ours.time(func() { replaySimulated(b, commands) })
				plain.time(func() { replayPlain(b, commands) })
			}
			b.ReportMetric(ours.median()/float64(n), "ours-ns/command")
			b.ReportMetric(plain.median()/float64(n), "plain-ns/command")
			b.ReportMetric(ours.median()/plain.median(), "ours/plain")
		})
	}
}

// timings are how long something took, each time. Their median does not mind
// that now and then the machine was busy with something else.
type timings []time.Duration

func (t *timings) time(f func()) {
	start := time.Now()
	f()
	*t = append(*t, time.Since(start))
}

// median is in nanoseconds.
func (t timings) median() float64 {
	sorted := slices.Sorted(slices.Values(t))
	return float64(sorted[len(sorted)/2].Nanoseconds())
}

// calmCommands are the commands that each client sent in the calm run, without
// what go-redis sends by itself when it connects.
func calmCommands(tb testing.TB, c cell.Cell) [][][]any {
	tb.Helper()
	out := c.Run(explore.Run{Tape: sim.Calm{}, Record: true})
	if out.Failure != nil {
		tb.Fatal(out.Failure.Reason)
	}
	lists := make([][][]any, c.Params.Clients)
	for _, e := range out.Recording.Events {
		if e.Kind != sim.EventDeliver || e.Actor != "redis1" || e.Conn == 0 {
			continue
		}
		client, err := strconv.Atoi(strings.TrimPrefix(e.Peer, "c"))
		if err != nil {
			tb.Fatal(err)
		}
		for _, command := range words(e.Payload) {
			if name := command[0]; name != "hello" && name != "client" {
				lists[client-1] = append(lists[client-1], anys(command))
			}
		}
	}
	return lists
}

// drive sends the commands. Errors of Redis, such as NOSCRIPT, are answers.
func drive(tb testing.TB, client *redis.Client, commands [][]any) {
	for _, command := range commands {
		err := client.Do(context.Background(), command...).Err()
		if answer := redis.Error(nil); err != nil && !errors.As(err, &answer) {
			tb.Errorf("%v: %v", command, err)
		}
	}
}

func replaySimulated(tb testing.TB, commands [][][]any) {
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		cluster := simredis.New(w, simredis.Options{}, func(model.Observation) {})
		for i, list := range commands {
			p := w.NewProcess(fmt.Sprintf("c%d", i+1), sim.ProcessOptions{Host: fmt.Sprintf("10.0.0.%d", i+1)})
			client := redis.NewClient(&redis.Options{Addr: cluster.Address(), PoolSize: 10, Protocol: 2, Dialer: func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := p.DialContext(ctx, network, addr, 5*time.Second)
				return simredis.Sorted(conn), err
			}})
			w.OnEnd(func() { _ = client.Close() })
			p.Go(func() { drive(tb, client, list) })
		}
	})
	if report.Failure != nil {
		tb.Fatal(report.Failure.Reason)
	}
}

func replayPlain(tb testing.TB, commands [][][]any) {
	synctest.Test(new(testing.T), func(*testing.T) {
		m := miniredis.NewMiniRedis()
		m.ClockTTL(true)
		var done sync.WaitGroup
		for _, list := range commands {
			client := redis.NewClient(&redis.Options{Addr: "10.0.1.1:6379", PoolSize: 10, Protocol: 2, Dialer: func(context.Context, string, string) (net.Conn, error) {
				return m.Dial()
			}})
			done.Go(func() {
				drive(tb, client, list)
				_ = client.Close()
			})
		}
		done.Wait()
		m.Close()
	})
}
