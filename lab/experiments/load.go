package experiments

import (
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// load measures how waiting grows with the load.
var load = &Experiment{
	ID:       "load",
	Summary:  "how long one waits for a lock as the load grows, by how waiters learn that it is free",
	Question: "How busy may a lock be before those who want it wait for long?",
	Seeds:    10,
	Settings: []Setting{
		{Name: "instances", About: "client processes", Unit: 1, Default: 8, Min: 1, Max: 100},
		{Name: "threads", About: "threads of each; each has arrivals of its own", Unit: 1, Default: 8, Min: 1, Max: 100},
		{Name: "hold", About: "how long the lock is held", Unit: time.Millisecond, Default: 20, Min: 1, Max: 60_000},
		{Name: "duration", About: "for how long requests come", Unit: time.Millisecond, Default: 20_000, Min: 100, Max: 3_600_000},
	},
	Variants: func(v Values, _ []cell.Lock) (list []Variant, _ error) {
		for _, l := range loadLocks {
			for _, percent := range loads {
				list = append(list, Variant{Name: fmt.Sprintf("%s, %d %%", l.name, percent), Plan: loadPlan(v, l, percent)})
			}
		}
		return list, nil
	},
	Report: reportLoad,
}

// loads are the percentages of the time for which the lock would be held if no client ever waited.
var loads = []int{10, 30, 50, 70, 80, 90}

// loadLock is a lock with a way to wait.
type loadLock struct {
	name string
	of   func(c *cell.Client, client *redis.Client) lock.Locker
}

var loadLocks = []loadLock{
	{"polls every 100 to 200 ms", func(c *cell.Client, client *redis.Client) lock.Locker {
		return redislocks.NewSetPX(client, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
	}},
	{"polls every 10 to 20 ms", func(c *cell.Client, client *redis.Client) lock.Locker {
		return redislocks.NewPull(client, c.LockName(), pull.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
	}},
	{"is told by a message", func(c *cell.Client, client *redis.Client) lock.Locker {
		return redislocks.NewReentrant(client, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
	}},
}

func loadPlan(v Values, l loadLock, percent int) lab.Plan {
	// The time between two arrivals of all threads, and so of each.
	every := v.Duration("hold") * 100 / time.Duration(percent) * time.Duration(v["instances"]*v["threads"])
	return lab.Plan{
		Store: redisstore.Store, Params: stage.Params{TTL: time.Hour},
		Processes: v["instances"], Threads: v["threads"],
		Latency: localNetwork, Costs: redisCosts, Limit: 100 * time.Hour,
		Client: func(c *cell.Client) func(*lab.Thread) {
			locker := l.of(c, redisClient(c, redisstore.Options(c), 2*v["threads"]))
			return func(t *lab.Thread) {
				for due := range t.Open(every, v.Duration("duration")) {
					t.Task(due, func(*lab.Task) error { return holdFor(t, locker, v.Duration("hold")) })
				}
			}
		},
	}
}

// holdFor acquires, holds and releases.
func holdFor(t *lab.Thread, l lock.Locker, d time.Duration) error {
	h := t.Acquire(l, 0)
	if h == nil {
		return lock.ErrNotAcquired
	}
	t.Sleep(d)
	return t.Release(h)
}

func reportLoad(r Results) labreport.Report {
	hold := float64(r.Values["hold"])
	waited := func(q float64) func(*lab.Sample) float64 {
		return func(s *lab.Sample) float64 { return labreport.Quantile(taskTimes(s), q) - hold }
	}
	per := func(s *lab.Sample) float64 {
		return ratio(float64(s.Asked()-s.Served("redis1", handshake...)), float64(len(s.Tasks)))
	}
	at := func(s []*lab.Sample, l, percent int, of func(*lab.Sample) float64) float64 {
		for i, p := range loads {
			if p == percent {
				return of(s[l*len(loads)+i])
			}
		}
		panic("experiments: no such load")
	}
	const slow, fast, told = 0, 1, 2
	return labreport.Report{
		Tables: []labreport.Table{
			r.grid("Waiting, median, in ms", "a waiter", loadNames(), percents(), waited(0.5)),
			r.grid("Waiting, 99 %, in ms", "a waiter", loadNames(), percents(), waited(0.99)),
			r.grid("Requests to the store per acquisition", "a waiter", loadNames(), percents(), per),
		},
		Plots: []labreport.Plot{
			r.loadPlot("How long one waits, median", waited(0.5)),
			r.loadPlot("How long one waits, 99 %", waited(0.99)),
		},
		Claims: []labreport.Claim{
			r.Claim("At 70 %, in the median, who polls every 100 to 200 ms waits longer than who polls every 10 to 20 ms, and that one longer than who is told.", func(s []*lab.Sample) bool {
				return at(s, slow, 70, waited(0.5)) > at(s, fast, 70, waited(0.5)) && at(s, fast, 70, waited(0.5)) > at(s, told, 70, waited(0.5))
			}),
			r.Claim("For everybody the 99 % wait at a load of 90 % is more than three times that at 50 %.", func(s []*lab.Sample) bool {
				for l := range loadLocks {
					if at(s, l, 90, waited(0.99)) <= 3*at(s, l, 50, waited(0.99)) {
						return false
					}
				}
				return true
			}),
		},
		Notes: []string{
			"Requests come from outside, at random times, whether earlier ones have been served or not. A load of 70 % is one at which the lock would be held for 70 % of the time if handing it over took no time.",
			"Waiting is from when a request came until its hold began, as far as the hold takes its time: the release is in it.",
		},
	}
}

func loadNames() (names []string) {
	for _, l := range loadLocks {
		names = append(names, l.name)
	}
	return names
}

func percents() (names []string) {
	for _, p := range loads {
		names = append(names, fmt.Sprintf("%d %%", p))
	}
	return names
}

// grid returns a table of variants that have a row and a column each, in the order of the rows.
func (r Results) grid(title, what string, rows, columns []string, of func(*lab.Sample) float64) labreport.Table {
	t := labreport.Table{Title: title, What: what}
	for _, name := range columns {
		t.Columns = append(t.Columns, labreport.Column{Name: name})
	}
	for i, name := range rows {
		row := labreport.Row{Name: name}
		for j := range columns {
			row.Cells = append(row.Cells, r.Figure(i*len(columns)+j, of))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// loadPlot returns a plot with a line for each lock over the loads.
func (r Results) loadPlot(title string, of func(*lab.Sample) float64) labreport.Plot {
	p := labreport.Plot{
		Title: title, Kind: labreport.Lines,
		X: labreport.Axis{Name: "load", Unit: "%"}, Y: labreport.Axis{Name: "wait", Unit: "ms", Log: true},
	}
	for i, l := range loadLocks {
		series := labreport.Series{Name: l.name}
		for j, percent := range loads {
			f := r.Figure(i*len(loads)+j, of)
			series.Points = append(series.Points, labreport.Point{X: float64(percent), Y: f.Median, Low: f.Low, High: f.High})
		}
		p.Series = append(p.Series, series)
	}
	return p
}
