package experiments

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// retry is the published comparison of what a client does between two tries.
var retry = &Experiment{
	ID:       "retry",
	Summary:  "five strategies between two tries for a lock, under many concurrent requests",
	Question: "What should a client do that has not got the lock, before it tries again?",
	Source:   "The right way to implement a distributed lock (on Redis), part on tuning: ab -n 2000 -c 1000",
	Seeds:    4,
	Settings: []Setting{
		{Name: "concurrent", About: "requests at a time", Unit: 1, Default: 1000, Min: 1, Max: 100_000},
		{Name: "requests", About: "requests in all", Unit: 1, Default: 2000, Min: 1, Max: 1_000_000},
		{Name: "workers", About: "requests that the web server works on at a time; the others wait", Unit: 1, Default: 200, Min: 1, Max: 10_000},
		{Name: "connections", About: "most connections to the store (0: one for each worker and each request for it)", Unit: 1, Default: 0, Min: 0, Max: 20_000},
		{Name: "barrier", About: "how long No1 and No2 try eagerly", Unit: time.Millisecond, Default: 600, Min: 0, Max: 60_000},
		{Name: "sleep", About: "how long No2 and No3 sleep; No4 sleeps ten times as long", Unit: time.Millisecond, Default: 200, Min: 1, Max: 60_000},
		{Name: "patience", About: "after how long a request counts as failed", Unit: time.Millisecond, Default: 30_000, Min: 1, Max: 3_600_000},
	},
	Check: func(v Values) error {
		if v["requests"] < v["concurrent"] {
			return errors.New("there are less requests than concurrent ones")
		}
		return nil
	},
	Variants: func(v Values, _ []cell.Lock) (list []Variant, _ error) {
		for _, s := range strategies(v) {
			list = append(list, Variant{Name: s.name, Plan: retryPlan(v, s)})
		}
		return list, nil
	},
	Report: reportRetry,
}

// sharedMachine are the costs of requests if the load generator, the web server and the store share a machine, as in the
// document. On ours, with two processors, the strategy that yields made 292 commands for each of 300 requests a second, on
// 2026-11-23: simrun experiment retry --real.
var sharedMachine = lab.Costs{"": 11 * time.Microsecond}

// strategy is a client's behaviour between two tries.
type strategy struct {
	name string
	// pause returns how long it pauses, after it has tried for the given time.
	pause func(tried time.Duration) time.Duration
}

// A thread that yields lets other threads run, and then goes on: this is how long that takes.
const yield = 50 * time.Microsecond

func strategies(v Values) []strategy {
	barrier, sleep := v.Duration("barrier"), v.Duration("sleep")
	always := func(d time.Duration) func(time.Duration) time.Duration {
		return func(time.Duration) time.Duration { return d }
	}
	until := func(first, then time.Duration) func(time.Duration) time.Duration {
		return func(tried time.Duration) time.Duration {
			if tried <= barrier {
				return first
			}
			return then
		}
	}
	return []strategy{
		{"No1: loop, then yield", until(0, yield)},
		{"No2: yield, then sleep", until(yield, sleep)},
		{"No3: sleep", always(sleep)},
		{"No4: sleep ten times as long", always(10 * sleep)},
		{"No5: yield", always(yield)},
	}
}

// The indices of the strategies.
const (
	no1 = iota
	no2
	no3
	no4
)

func retryPlan(v Values, s strategy) lab.Plan {
	workers := min(v["workers"], v["concurrent"])
	connections := v["connections"]
	if connections == 0 {
		connections = 2 * workers
	}
	return lab.Plan{
		Store: redisstore.Store, Params: stage.Params{TTL: time.Hour},
		Processes: 1, Threads: workers,
		Latency: localNetwork, Costs: sharedMachine, Limit: time.Hour,
		Client: func(c *cell.Client) func(*lab.Thread) {
			client := redisClient(c, redisstore.Options(c), connections)
			requests := &lab.Closed{Concurrent: v["concurrent"], Total: v["requests"]}
			return func(t *lab.Thread) {
				l := &spinner{thread: t, client: client, name: c.LockName(), pause: s.pause}
				for due := range requests.Of(t) {
					t.Task(due, func(*lab.Task) error { return l.serve(due + v.Duration("patience")) })
				}
			}
		},
	}
}

// spinner is the published lock: SET NX until it succeeds, on one connection, which it returns to the pool while it holds
// the lock.
type spinner struct {
	thread *lab.Thread
	client *redis.Client
	name   string
	pause  func(tried time.Duration) time.Duration
	until  time.Duration
	value  string
}

// serve serves one request: acquire, INCR, release.
func (l *spinner) serve(until time.Duration) error {
	l.until = until
	h := l.thread.Acquire(l, 0)
	if h == nil {
		return lock.ErrNotAcquired
	}
	err := l.client.Incr(l.thread.Context(), "already_bought").Err()
	return errors.Join(err, l.thread.Release(h), l.late())
}

// late returns an error if the caller no longer waits.
func (l *spinner) late() error {
	if l.thread.Now() > l.until {
		return context.DeadlineExceeded
	}
	return nil
}

// Acquire tries until it has the lock, or until the caller no longer waits.
func (l *spinner) Acquire(ctx context.Context) (lock.Lease, error) {
	conn := l.client.Conn()
	defer func() { _ = conn.Close() }()
	began := l.thread.Now()
	l.value = rand.Text()
	for ctx.Err() == nil && l.late() == nil {
		ok, err := conn.SetNX(ctx, l.name, l.value, time.Hour).Result()
		if err != nil {
			return nil, fmt.Errorf("SET: %w", err)
		}
		if ok {
			return l, nil
		}
		l.thread.Sleep(l.pause(l.thread.Now() - began))
	}
	return nil, lock.ErrNotAcquired
}

// Release removes the record, if it is its own.
func (l *spinner) Release(ctx context.Context) error {
	const script = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`
	return l.client.Eval(ctx, script, []string{l.name}, l.value).Err()
}

// impatience is the patience of an impatient client.
const impatience = 4 * time.Second

// slow returns the number of requests that take longer.
func slow(s *lab.Sample) (n int) {
	for _, k := range s.Tasks {
		if k.Return-k.Due > impatience {
			n++
		}
	}
	return n
}

// noErrors returns why No1 has no errors, and why a backlog would not give it the document's.
func noErrors(v Values) string {
	workers := min(v["workers"], v["concurrent"])
	return fmt.Sprintf("The document's No1 has errors, ours has none, and servers that refuse connections beyond a backlog would not give it the document's. ab itself ends with the first connections that are refused, without a table (ab 2.3, on a port where nobody listens): so the document's errors were answers. "+
		"A web server that refuses does so when all %s requests come at once, whatever the strategy is. To the store each worker has a connection, which is opened once, in all strategies (connections to the store). And a command waits there behind one of each other worker at most, for %v, which no time-out of a client notices. "+
		"What remains is that %d threads which loop take the processor away from the store beside them, and that is not simulated.", wording.Grouped(v["concurrent"]), time.Duration(workers)*sharedMachine[""], workers)
}

// opened returns the number of connections opened to the store: each begins with one HELLO.
func opened(s *lab.Sample) float64 { return float64(s.Served("redis1", "HELLO")) }

func reportRetry(r Results) labreport.Report {
	errorsOf := func(s *lab.Sample) float64 { return 100 * float64(failedTasks(s)) / float64(len(s.Tasks)) }
	perRequest := func(s *lab.Sample) float64 { return mean(taskTimes(s)) }
	p := func(q float64) func(*lab.Sample) float64 {
		return func(s *lab.Sample) float64 { return labreport.Quantile(taskTimes(s), q) }
	}
	table := r.Table("Requests", "strategy", []Measure{
		{Name: "errors", Unit: "%", Of: errorsOf},
		{Name: "time per request", Unit: "ms", Of: perRequest},
		{Name: "50 %", Unit: "ms", Of: p(0.5)},
		{Name: "90 %", Unit: "ms", Of: p(0.9)},
		{Name: "99 %", Unit: "ms", Of: p(0.99)},
		{Name: "requests per second", Unit: "1/s", Of: taskRate},
		{Name: "commands per request", Of: func(s *lab.Sample) float64 { return float64(s.Served("redis1")) / float64(len(s.Tasks)) }},
		{Name: "connections to the store", Of: opened},
	})
	return labreport.Report{
		Tables: []labreport.Table{table},
		Plots: []labreport.Plot{
			logX(r.DistributionPlot("How long requests took", "time", taskTimes)),
			r.timePlot("Requests answered over time", "answered", func(s *lab.Sample) (at []time.Duration) {
				for _, k := range s.Tasks {
					at = append(at, k.Return)
				}
				return at
			}),
			r.timePlot("Errors over time", "failed", failures),
		},
		Claims: []labreport.Claim{
			r.ClaimWhere(fmt.Sprintf("No2 has far fewer errors than No1: at most a fifth as many requests take longer than %v.", impatience), func(s []*lab.Sample) bool {
				return slow(s[no1])+slow(s[no2]) > 0
			}, func(s []*lab.Sample) bool { return slow(s[no2]) <= slow(s[no1])/5 }),
			r.Claim("No2 takes at most half of No1's time per request.", func(s []*lab.Sample) bool { return perRequest(s[no2]) <= perRequest(s[no1])/2 }),
			r.Claim("No4 sleeps too long: it takes longer per request than No3.", func(s []*lab.Sample) bool { return perRequest(s[no4]) > perRequest(s[no3]) }),
			r.Claim("No3's 90th percentile is clearly below No2's: by a tenth or more.", func(s []*lab.Sample) bool { return p(0.9)(s[no3]) <= 0.9*p(0.9)(s[no2]) }),
			r.Claim("No3, which the document chose, takes the least time per request of all five.", func(s []*lab.Sample) bool {
				return !slices.ContainsFunc(s, func(other *lab.Sample) bool { return perRequest(other) < perRequest(s[no3]) })
			}),
			r.Claim("A limit on connections would not tell No1 from No2: both open as many to the store, within a tenth.", func(s []*lab.Sample) bool {
				return opened(s[no1]) <= 1.1*opened(s[no2]) && opened(s[no2]) <= 1.1*opened(s[no1])
			}),
		},
		Notes: []string{
			"The published figures are pictures, so the table has none. What the document says of them stands above, as claims.",
			fmt.Sprintf("A request has failed if it was not answered within the patience, which is that of ab, or if the store did not answer. The document does not say what its errors were. Within ab's 30 s all but those of No4 are answered, so the claim on errors is about a client that waits for %v. Times are those of all requests, failed ones with how long they waited.", impatience),
			noErrors(r.Values),
			"The web server works on 200 requests at a time, which is Tomcat's default. The published lock keeps a connection while it waits, and its holder needs another one to work and to release: with fewer connections than workers all of them wait for each other until the pool's time-out. Try -p connections=100.",
			"The choice depends on the load. With -p concurrent=100 -p requests=200 -p workers=50 the lock is free for most of the time while all sleep: No3 then takes longer than the strategies that load the store.",
			fmt.Sprintf("A yield is taken for a pause of %v. Requests take the store %v, which is what they took on one machine that had the load generator, too. The client's own processor is not simulated otherwise: a busy loop costs requests here, but no processor time that others miss.", yield, sharedMachine[""]),
		},
	}
}
