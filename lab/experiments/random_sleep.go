package experiments

import (
	"errors"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// randomSleep measures the effect on the store of polling clients that sleep for random times.
var randomSleep = &Experiment{
	ID:       "random-sleep",
	Summary:  "the store's busiest moment where those who poll sleep for a fixed time, and for a random one",
	Question: "How many requests reach the store in its busiest moment if all clients sleep equally long between two tries, and how many if each sleeps for a random time?",
	Source:   "weipeng2k: Distributed locks in pull mode, part on spinning: sleep 15 ms, or a random time of [min, min+random)",
	Seeds:    10,
	Settings: []Setting{
		{Name: "clients", About: "the most clients; runs have 10, 20, 50, 100 and 200, up to that", Unit: 1, Default: 200, Min: 10, Max: 200},
		{Name: "sleep", About: "the fixed sleep, and the mean of the random one", Unit: time.Millisecond, Default: 15, Min: 1, Max: 60_000},
		{Name: "random", About: "the random part of the random sleep, around its mean", Unit: time.Millisecond, Default: 10, Min: 1, Max: 60_000},
		{Name: "hold", About: "how long the lock is held", Unit: time.Millisecond, Default: 5, Min: 1, Max: 60_000},
		{Name: "moment", About: "how long a moment is", Unit: time.Millisecond, Default: 1, Min: 1, Max: 1000},
	},
	Check: func(v Values) error {
		if v["random"] >= 2*v["sleep"] {
			return errors.New("the random part is twice the mean or more: a sleep would be no time")
		}
		return nil
	},
	Variants: func(v Values, _ []cell.Lock) (list []Variant, _ error) {
		for _, w := range sleepWays {
			for _, n := range upTo(sleepSizes, v["clients"]) {
				list = append(list, Variant{Name: w.name + ", " + wording.Count(n, "client"), Plan: sleepPlan(v, w, n)})
			}
		}
		return list, nil
	},
	Report: reportRandomSleep,
}

// sleepSizes are the numbers of clients that want the lock.
var sleepSizes = []int{10, 20, 50, 100, 200}

// sleepWay is how clients sleep, and how they arrive.
type sleepWay struct {
	name           string
	random, spread bool
}

var sleepWays = []sleepWay{
	{"fixed sleep, all come at once", false, false},
	{"random sleep, all come at once", true, false},
	{"fixed sleep, all come within one sleep", false, true},
	{"random sleep, all come within one sleep", true, true},
}

// The indices of the ways.
const (
	fixedTogether = iota
	randomTogether
	fixedSpread
)

// sleepComes is when the clients arrive. They have connected before.
const sleepComes = time.Second

// sleepPlan makes each client, a process of its own, take the lock once.
func sleepPlan(v Values, w sleepWay, clients int) lab.Plan {
	sleep, random := v.Duration("sleep"), time.Duration(1) // a maximum of 1 draws only 0
	if w.random {
		random = v.Duration("random")
		sleep -= random / 2
	}
	return lab.Plan{
		Store: redisstore.Store, Params: stage.Params{TTL: time.Hour},
		Processes: clients, Threads: 1,
		Latency: localNetwork, Costs: redisCosts, From: sleepComes, Moment: v.Duration("moment"), Limit: time.Hour,
		Client: func(c *cell.Client) func(*lab.Thread) {
			client := redisClient(c, redisstore.Options(c), 1)
			locker := redislocks.NewSetPX(client, c.LockName(), redislocks.Options{
				TTL: c.TTL(), MinSleep: sleep, RandomSleep: random, Clock: c.Clock(), Rand: c.Rand(),
			})
			return func(t *lab.Thread) {
				comes := sleepComes
				if w.spread {
					comes += time.Duration(t.Rand.Int64N(int64(v.Duration("sleep")))).Truncate(time.Microsecond)
				}
				_ = client.Ping(t.Context()).Err()
				t.SleepUntil(comes)
				t.Task(comes, func(*lab.Task) error { return holdFor(t, locker, v.Duration("hold")) })
			}
		},
	}
}

func reportRandomSleep(r Results) labreport.Report {
	b := bySize{Results: r, what: "clients", one: "client", sizes: upTo(sleepSizes, r.Values["clients"])}
	for _, w := range sleepWays {
		b.rows = append(b.rows, w.name)
	}
	moment, sleep := r.Values.Duration("moment"), r.Values.Duration("sleep")
	// The first tries are those of arriving clients: no sleep precedes them.
	busiest := func(s *lab.Sample) float64 { return float64(s.Busiest(moment, sleep, s.Elapsed)) }
	done := func(s *lab.Sample) float64 { return lab.Milliseconds(s.Elapsed - sleepComes) }
	tries := perAcquisition(func(s *lab.Sample) int { return s.Served("redis1", "SET") })
	title := fmt.Sprintf("Requests that arrive in the busiest %d ms", r.Values["moment"])
	return labreport.Report{
		Tables: []labreport.Table{
			b.table(title, "", busiest),
			b.table("Waiting, median", "ms", wait(0.5)),
			b.table("Waiting, 99 %", "ms", wait(0.99)),
			b.table("Time until all have had the lock", "ms", done),
			b.table("Tries per acquisition", "", tries),
		},
		Plots: []labreport.Plot{
			b.plot(title, "requests", "", busiest),
			b.plot("Waiting, 99 %", "wait", "ms", wait(0.99)),
			b.inStep(fmt.Sprintf("%s of each sleep, %s", title, b.number(b.last())), moment, sleep),
		},
		Claims: sleepClaims(b, busiest, tries),
		Notes: []string{
			"Each client is a process of its own, wants the lock once, and has connected before it comes. Its first try counts in none of the busiest moments: sleeping changes nothing of it. Moments are whole ones from when the clients come.",
			fmt.Sprintf("Both sleeps are equally long in the mean: %v. A fixed sleep keeps together those who have come together, until the network's latencies and the queue at the store have moved them apart. Clients that come at different times are apart already: random sleeps change little for them.", sleep),
			"With a fixed sleep the lock is free until the next tries come, all at once; with a random one some client tries soon. So random sleeps also wait for less time, and try less often in all.",
		},
	}
}

// sleepClaims returns the claims, about the most clients.
func sleepClaims(b bySize, busiest, tries func(*lab.Sample) float64) []labreport.Claim {
	of := func(s []*lab.Sample, way int) *lab.Sample { return s[b.at(way, b.last())] }
	most := b.number(b.last())
	return []labreport.Claim{
		b.Claim(fmt.Sprintf("Sleeping for random times lowers the momentary pressure: with %s that come at once, at most half as many requests arrive in the busiest moment.", most), func(s []*lab.Sample) bool {
			return busiest(of(s, randomTogether)) <= busiest(of(s, fixedTogether))/2
		}),
		b.Claim(fmt.Sprintf("It does so for those only who have come together: with %s that come within one sleep, the busiest moment of fixed sleeps has at most half as many requests as with those that come at once.", most), func(s []*lab.Sample) bool {
			return busiest(of(s, fixedSpread)) <= busiest(of(s, fixedTogether))/2
		}),
		b.Claim(fmt.Sprintf("With %s that come at once, 99 %% wait for less time if they sleep for random times.", most), func(s []*lab.Sample) bool {
			return wait(0.99)(of(s, randomTogether)) < wait(0.99)(of(s, fixedTogether))
		}),
		b.Claim(fmt.Sprintf("With %s that come at once, random sleeps take fewer tries per acquisition.", most), func(s []*lab.Sample) bool {
			return tries(of(s, randomTogether)) < tries(of(s, fixedTogether))
		}),
	}
}

// inStep plots for how long the most clients stay in step: the busiest moment of each sleep.
func (b bySize) inStep(title string, moment, sleep time.Duration) labreport.Plot {
	p := labreport.Plot{
		Title: title, Kind: labreport.Lines,
		X: labreport.Axis{Name: "time", Unit: "ms"}, Y: labreport.Axis{Name: "requests"},
	}
	const periods = 60
	for i, name := range b.rows {
		series := labreport.Series{Name: name}
		for n := range periods {
			from := time.Duration(n) * sleep
			f := b.Figure(b.at(i, b.last()), func(s *lab.Sample) float64 { return float64(s.Busiest(moment, from, from+sleep)) })
			series.Points = append(series.Points, labreport.Point{X: lab.Milliseconds(from), Y: f.Median, Low: f.Low, High: f.High})
		}
		p.Series = append(p.Series, series)
	}
	return p
}
