package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// check measures the cost of checking the lock before each key step.
var check = &Experiment{
	ID:       "check",
	Summary:  "what a holder pays for checking its lock before each step, and for a fencing token",
	Question: "What does it cost to check the lock before each step of the work, and what does a fencing token cost?",
	Source:   "The right way to implement a distributed lock (on Redis), part on checking the lock: some milliseconds for each check under high concurrency, where all work takes less than 10 ms",
	Seeds:    3,
	Settings: []Setting{
		{Name: "clients", About: "the most clients; runs have 1, 10, 100 and 300, up to that", Unit: 1, Default: 300, Min: 1, Max: 300},
		{Name: "steps", About: "steps of the work, each with a write to the protected resource", Unit: 1, Default: 5, Min: 1, Max: 1000},
		{Name: "step", About: "how long a step takes before it writes", Unit: time.Millisecond, Default: 1, Min: 0, Max: 60_000},
		{Name: "pause", About: "least pause between two tries for the lock; it is drawn from [pause, 2*pause)", Unit: time.Microsecond, Default: 50, Min: 1, Max: 60_000_000},
		{Name: "duration", About: "how long a run lasts after a warm-up of 200 ms", Unit: time.Millisecond, Default: 300, Min: 100, Max: 3_600_000},
	},
	Variants: func(v Values, _ []cell.Lock) (list []Variant, _ error) {
		for _, w := range checkWays {
			for _, n := range upTo(checkSizes, v["clients"]) {
				list = append(list, Variant{Name: w.name + ", " + wording.Count(n, "client"), Plan: checkPlan(v, w, n)})
			}
		}
		return list, nil
	},
	Report: reportCheck,
}

// checkSizes are the numbers of clients that want the lock.
var checkSizes = []int{1, 10, 100, 300}

// checkWay is a way of checking before a write to the resource, and of writing.
type checkWay struct {
	name string
	// of makes the lock.
	of func(client redis.Scripter, name string, o redislocks.Options) lock.Locker
	// before is called before each write.
	before func(ctx context.Context, l lock.Lease, ttl time.Duration) error
	// write writes to the resource.
	write func(ctx context.Context, resource *redis.Client, l lock.Lease) error
}

var checkWays = []checkWay{
	{"no check", fenced, nothing, plainWrite},
	{"reads its record before each step", fenced, held, plainWrite},
	{"extends its lease before each step", extensible, extend, plainWrite},
	{"fencing token", fenced, nothing, fencedWrite},
}

// The indices of the ways.
const (
	checksNothing = iota
	checksRecord
	checksByExtending
	checksToken
)

// fenced returns a lock whose leases have a token, and can be read.
func fenced(client redis.Scripter, name string, o redislocks.Options) lock.Locker {
	return redislocks.NewSetPXFenced(client, name, o)
}

// extensible returns a lock whose leases can be extended. It takes one request a try, like the other one.
func extensible(client redis.Scripter, name string, o redislocks.Options) lock.Locker {
	return redislocks.NewPull(client, name, pull.Options{
		TTL: o.TTL, IOTimeout: time.Minute, MinSleep: o.MinSleep, RandomSleep: o.RandomSleep, Clock: o.Clock, Rand: o.Rand,
	})
}

func nothing(context.Context, lock.Lease, time.Duration) error { return nil }

func held(ctx context.Context, l lock.Lease, _ time.Duration) error {
	has, err := l.(lock.Checker).Held(ctx)
	if err == nil && !has {
		err = lock.ErrNotHeld
	}
	return err
}

func extend(ctx context.Context, l lock.Lease, ttl time.Duration) error {
	return l.(lock.Extender).Extend(ctx, ttl)
}

// The keys of the protected resource.
const resourceValue, resourceToken = "value", "token"

func plainWrite(ctx context.Context, resource *redis.Client, _ lock.Lease) error {
	return resource.Set(ctx, resourceValue, "1", 0).Err()
}

// writeFenced refuses a write with an older token than the newest that it has seen.
var writeFenced = redis.NewScript(`if tonumber(ARGV[1]) < tonumber(redis.call("get", KEYS[2]) or "0") then return redis.error_reply("FENCED") end
redis.call("set", KEYS[2], ARGV[1])
return redis.call("set", KEYS[1], ARGV[2])`)

func fencedWrite(ctx context.Context, resource *redis.Client, l lock.Lease) error {
	return writeFenced.Run(ctx, resource, []string{resourceValue, resourceToken}, l.(lock.Fenced).Token(), "1").Err()
}

// checkWarmUp is when counting begins: clients have connected, and servers know the scripts.
const checkWarmUp = 200 * time.Millisecond

// pauseOf returns the least pause between two tries.
func pauseOf(v Values) time.Duration { return time.Duration(v["pause"]) * time.Microsecond }

// checkPlan makes each client, a process of its own, take the lock again and again.
func checkPlan(v Values, w checkWay, clients int) lab.Plan {
	until := checkWarmUp + v.Duration("duration")
	pause := pauseOf(v)
	return lab.Plan{
		Store: redisstore.Store, Params: stage.Params{Servers: 2, TTL: time.Minute},
		Processes: clients, Threads: 1,
		Latency: localNetwork, Costs: redisCosts, From: checkWarmUp, Until: until, Limit: until,
		Client: func(c *cell.Client) func(*lab.Thread) {
			nodes := redisstore.AllOptions(c)
			client, resource := redisClient(c, nodes[0], 1), redisClient(c, nodes[1], 1)
			client.AddHook(requestCounter{})
			resource.AddHook(requestCounter{})
			locker := w.of(client, c.LockName(), redislocks.Options{TTL: c.TTL(), MinSleep: pause, RandomSleep: pause, Clock: c.Clock(), Rand: c.Rand()})
			return func(t *lab.Thread) {
				for !t.Over() {
					if h := t.Acquire(locker, 0); h != nil {
						t.Task(t.Now(), func(k *lab.Task) error { return checkedWork(t, v, w, c.TTL(), resource, h, k) })
					}
				}
			}
		},
	}
}

// checkedWork does the work of a client with the lock: its steps, and the release.
func checkedWork(t *lab.Thread, v Values, w checkWay, ttl time.Duration, resource *redis.Client, h *lab.Hold, k *lab.Task) error {
	var made *atomic.Int64
	ctx := counting(t.Context(), &made)
	var err error
	for n := 0; n < v["steps"] && err == nil; n++ {
		t.Sleep(v.Duration("step"))
		if err = w.before(ctx, h.Lease, ttl); err == nil {
			err = w.write(ctx, resource, h.Lease)
		}
	}
	k.Requests = int(made.Load())
	return errors.Join(err, t.Release(h))
}

// workTimes returns how long the lock was held for the work, in milliseconds, sorted, without the release.
func workTimes(s *lab.Sample) []float64 {
	var list []float64
	for i := range s.Tries {
		if try := &s.Tries[i]; try.Result == lab.Acquired && try.Release > 0 {
			list = append(list, lab.Milliseconds(try.Release-try.Return))
		}
	}
	slices.Sort(list)
	return list
}

// workRequests returns the mean number of requests for the work of a hold.
func workRequests(s *lab.Sample) float64 {
	var list []float64
	for _, k := range s.Tasks {
		if !k.Failed && k.Return >= s.From {
			list = append(list, float64(k.Requests))
		}
	}
	return mean(list)
}

func reportCheck(r Results) labreport.Report {
	b := bySize{Results: r, what: "a holder", one: "client", sizes: upTo(checkSizes, r.Values["clients"])}
	for _, w := range checkWays {
		b.rows = append(b.rows, w.name)
	}
	work := func(q float64) func(*lab.Sample) float64 {
		return func(s *lab.Sample) float64 { return labreport.Quantile(workTimes(s), q) }
	}
	return labreport.Report{
		Tables: []labreport.Table{
			b.table("Time of the work, median", "ms", work(0.5)),
			b.table("Time of the work, 99 %", "ms", work(0.99)),
			b.adds("What each step takes longer than without a check", work(0.5)),
			b.table("Requests of the work", "", workRequests),
			b.table("Holds per second", "1/s", rate),
		},
		Plots: []labreport.Plot{
			b.plot("Time of the work, median", "time", "ms", work(0.5)),
			b.plot("Holds per second", "holds", "1/s", rate),
		},
		Claims: checkClaims(b, work(0.5)),
		Notes: []string{
			"The work is what a holder does between its acquisition and its release. Each step ends with a write to another Redis, which is the protected resource. The record is read by a script that compares it, the lease is extended by another, and the resource compares the token in a script with the write: the token needs no request of its own.",
			fmt.Sprintf("Clients that have not got the lock try again after a pause of %v to %v; the document's lock loops. ", pauseOf(r.Values), 2*pauseOf(r.Values)) + b.idleness(work(0.5)),
			"Reading and extending are one script each, and a simulated server takes the same time for any script. So in a simulation their figures are the same; real servers (--real) have them apart.",
			"A check answers for a moment that has passed: a holder that is paused between its check and its write writes all the same, after others have had the lock. A resource that compares the token refuses that write.",
		},
	}
}

// idleness describes whether the Redis of the lock has time for a check besides the tries of the most clients.
func (b bySize) idleness(work func(*lab.Sample) float64) string {
	check := func(size int) float64 {
		return b.Figure(b.at(checksRecord, size), work).Median - b.Figure(b.at(checksNothing, size), work).Median
	}
	if b.last() > 0 && check(b.last()) >= 2*check(0) {
		return fmt.Sprintf("With %s the Redis of the lock is hardly ever idle, and a check waits behind their tries: with longer pauses, such as -p pause=10ms, it takes hardly longer than with one client.", b.number(b.last()))
	}
	return fmt.Sprintf("With %s that leaves the Redis of the lock time: a check waits behind the tries of more clients, or after shorter pauses, such as with -p clients=300 -p pause=50us.", b.number(b.last()))
}

// adds returns how much longer each step takes than in the first row, with the same seed.
func (b bySize) adds(title string, work func(*lab.Sample) float64) labreport.Table {
	t := labreport.Table{Title: title, What: b.what}
	for size := range b.sizes {
		t.Columns = append(t.Columns, labreport.Column{Name: b.number(size), Unit: "ms"})
	}
	for way := 1; way < len(b.rows); way++ {
		row := labreport.Row{Name: b.rows[way]}
		for size := range b.sizes {
			var longer []float64
			for seed, s := range b.Samples[b.at(way, size)] {
				longer = append(longer, (work(s)-work(b.Samples[b.at(checksNothing, size)][seed]))/float64(b.Values["steps"]))
			}
			row.Cells = append(row.Cells, labreport.Median(longer))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// checkClaims returns the claims, about one client and about the most.
func checkClaims(b bySize, work func(*lab.Sample) float64) []labreport.Claim {
	steps := float64(b.Values["steps"])
	// each returns how much longer a step takes with a check than without.
	each := func(s []*lab.Sample, way, size int) float64 {
		return (work(s[b.at(way, size)]) - work(s[b.at(checksNothing, size)])) / steps
	}
	checks := func(s []*lab.Sample, size int, holds func(ms float64) bool) bool {
		return holds(each(s, checksRecord, size)) && holds(each(s, checksByExtending, size))
	}
	most := b.number(b.last())
	return []labreport.Claim{
		b.Claim("Where nobody competes, a check takes less than half a millisecond, by reading as by extending.", func(s []*lab.Sample) bool {
			return checks(s, 0, func(ms float64) bool { return ms < 0.5 })
		}),
		b.Claim(fmt.Sprintf("Each check takes some milliseconds under high concurrency: one or more with %s.", most), func(s []*lab.Sample) bool {
			return checks(s, b.last(), func(ms float64) bool { return ms >= 1 })
		}),
		b.Claim(fmt.Sprintf("The checks are a large part of the work then: with %s they make it take half as long again, or longer.", most), func(s []*lab.Sample) bool {
			return checks(s, b.last(), func(ms float64) bool { return ms*steps >= work(s[b.at(checksNothing, b.last())])/2 })
		}),
		b.Claim("A fencing token costs no request of the work, and less than a twentieth of its time, however many compete.", func(s []*lab.Sample) bool {
			for size := range b.sizes {
				without, with := s[b.at(checksNothing, size)], s[b.at(checksToken, size)]
				if workRequests(with) > workRequests(without) || work(with) > 1.05*work(without) {
					return false
				}
			}
			return true
		}),
	}
}
