package experiments

import (
	"errors"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// hotspot is the published measurement of the handler for local hotspots.
var hotspot = &Experiment{
	ID:       "hotspot",
	Summary:  "requests of a pull lock with and without the handler for local hotspots",
	Question: "How many requests does it save if threads of one process compete among themselves first?",
	Source:   "weipeng2k: Distributed locks in pull mode, extension: local hotspot locks",
	Seeds:    20,
	Settings: []Setting{
		{Name: "instances", About: "client processes", Unit: 1, Default: 3, Min: 1, Max: 100},
		{Name: "threads", About: "threads of each", Unit: 1, Default: 4, Min: 1, Max: 100},
		{Name: "tries", About: "calls of Acquire, of all threads together", Unit: 1, Default: 1200, Min: 1, Max: 1_000_000},
		{Name: "wait", About: "how long an Acquire may wait", Unit: time.Millisecond, Default: 3000, Min: 1, Max: 3_600_000},
		{Name: "sleep", About: "least pause between two requests; it is drawn from [sleep, 2*sleep)", Unit: time.Millisecond, Default: 10, Min: 1, Max: 60_000},
		{Name: "lease", About: "how long the record lives", Unit: time.Millisecond, Default: 10_000, Min: 10, Max: 3_600_000},
		{Name: "timeout", About: "how long a request may take", Unit: time.Millisecond, Default: 200, Min: 1, Max: 60_000},
		{Name: "distance", About: "one-way latency of the second Redis", Unit: time.Millisecond, Default: 10, Min: 0, Max: 1000},
	},
	Check: func(v Values) error {
		if v["tries"] < v["instances"]*v["threads"] {
			return errors.New("there are less tries than threads: each thread tries once at least")
		}
		return nil
	},
	Variants: func(v Values, _ []cell.Lock) ([]Variant, error) {
		return []Variant{
			hotspotVariant(v, "without", func(*pull.Options) {}),
			hotspotVariant(v, "with the handler", func(o *pull.Options) { o.Handlers = []pull.Handler{pull.NewHotspots(cell.LockName)} }),
		}, nil
	},
	Report: reportHotspot,
}

func hotspotVariant(v Values, name string, vary func(*pull.Options)) Variant {
	threads := v["instances"] * v["threads"]
	return Variant{Name: name, Plan: lab.Plan{
		Store:     redisstore.Store,
		Params:    stage.Params{Servers: 2, TTL: v.Duration("lease")},
		Processes: v["instances"], Threads: v["threads"],
		Latency: localNetwork, Costs: redisCosts, Limit: time.Hour,
		Client: func(c *cell.Client) func(*lab.Thread) {
			nodes := redisstore.AllOptions(c)
			o := pull.Options{
				TTL: v.Duration("lease"), Wait: v.Duration("wait"), IOTimeout: v.Duration("timeout"),
				MinSleep: v.Duration("sleep"), RandomSleep: v.Duration("sleep"), Clock: c.Clock(), Rand: c.Rand(),
			}
			vary(&o)
			locker := redislocks.NewPull(redisClient(c, nodes[0], v["threads"]).WithTimeout(o.RequestTimeout()), c.LockName(), o)
			other := redisClient(c, nodes[1], v["threads"])
			return func(t *lab.Thread) {
				tries := v["tries"] / threads
				if t.Process*v["threads"]+t.Number < v["tries"]%threads {
					tries++
				}
				for range tries {
					if h := t.Acquire(locker, 0); h != nil {
						t.Sleep(2 * v.Duration("distance"))
						_ = other.Get(t.Context(), "value").Err() // Nil at first
						t.Sleep(2 * v.Duration("distance"))
						_ = other.Set(t.Context(), "value", "1", 0).Err()
						_ = t.Release(h)
					}
				}
			}
		},
	}}
}

// hotspotPublished are the published figures of each variant: requests, successes, failures.
var hotspotPublished = [][]float64{{21_245, 1099, 101}, {6105, 1147, 53}}

func reportHotspot(r Results) labreport.Report {
	asked := func(s *lab.Sample) float64 { return float64(lockRequests(s)) }
	table := r.Table("Requests and successes", "variant", []Measure{
		{Name: "requests for the lock", Of: asked},
		{Name: "acquired", Of: count(lab.Acquired)},
		{Name: "timed out", Of: count(lab.TimedOut)},
		{Name: "requests per acquisition", Of: func(s *lab.Sample) float64 { return asked(s) / count(lab.Acquired)(s) }},
		{Name: "wait, median", Unit: "ms", Of: wait(0.5)},
		{Name: "wait, 99 %", Unit: "ms", Of: wait(0.99)},
	})
	if r.Usual() {
		for i, published := range hotspotPublished {
			for j, value := range published {
				table.Rows[i].Cells[j].Published = value
			}
		}
	}
	return labreport.Report{
		Tables: []labreport.Table{table},
		Plots: []labreport.Plot{
			r.WaitPlot(),
			r.timePlot("Acquisitions over time", "acquired", triesAt(lab.Acquired)),
			r.timePlot("Tries that ran into the wait limit, over time", "timed out", triesAt(lab.TimedOut)),
		},
		Claims: []labreport.Claim{
			r.Claim("The handler keeps away 70 % of the requests or more.", func(s []*lab.Sample) bool { return asked(s[1]) <= 0.3*asked(s[0]) }),
			r.ClaimWhere("With fewer requests, more of the tries succeed.", func(s []*lab.Sample) bool {
				return s[0].Count(lab.Acquired) < len(s[0].Tries)
			}, func(s []*lab.Sample) bool {
				return count(lab.Acquired)(s[1]) > count(lab.Acquired)(s[0])
			}),
		},
		Notes: []string{
			"The document counts SET commands. The lock of this experiment asks by a script, one request for each try as well, so the figures are requests for the lock without those that release it.",
			"Waits are those of tries that acquired. Without the handler the thread that has just released asks again before any other does, so half of those that acquire hardly wait, and others wait long. With it the threads of a process take turns: the median wait is longer, and fewer run into the wait limit.",
			"The document does not say how far away the second Redis was, on which the critical section works. The distance determines how long the lock is held, and so how many tries run into the wait limit.",
		},
	}
}

// lockRequests returns the number of requests for the lock: all of the first node except the handshakes and one for each
// release.
func lockRequests(s *lab.Sample) int {
	return s.Served("redis1", "EVAL", "EVALSHA") - s.Count(lab.Acquired)
}
