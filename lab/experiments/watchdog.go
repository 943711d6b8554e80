package experiments

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// watchdog looks for the smallest lease that a watchdog can keep alive.
var watchdog = &Experiment{
	ID:       "watchdog",
	Summary:  "the smallest lease that a watchdog keeps alive, by how late answers are at times",
	Question: "How small may a lease be that is renewed every third of it, if the network is slow at times?",
	Source:   "Distributed locks in Redisson, part on the watchdog: renewed to 30 s every 10 s",
	Seeds:    20,
	Virtual:  "it needs a network that is slow at times, and its holds take hours",
	Settings: []Setting{
		{Name: "holds", About: "holds of each lease, of a seed", Unit: 1, Default: 500, Min: holders, Max: 1_000_000},
		{Name: "periods", About: "how long a hold is, in thirds of the lease: so many renewals are due", Unit: 1, Default: 9, Min: 1, Max: 1000},
		{Name: "most", About: "losses that are too many, of 10,000 holds", Unit: 1, Default: 1, Min: 1, Max: 10_000},
	},
	Variants: func(v Values, _ []cell.Lock) (list []Variant, _ error) {
		for _, tail := range tails {
			for _, lease := range leases {
				list = append(list, Variant{Name: fmt.Sprintf("tail %v, lease %v", tail, lease), Plan: watchdogPlan(v, tail, lease)})
			}
		}
		return list, nil
	},
	Report: reportWatchdog,
}

// holders are the threads of the process, each with a lock of its own.
const holders = 10

const ms = time.Millisecond

// tails are 99.9th percentiles of the latency of a segment, and leases the leases tried with each.
var (
	tails  = []time.Duration{3 * ms, 10 * ms, 30 * ms, 100 * ms, 300 * ms, time.Second}
	leases = []time.Duration{10 * ms, 20 * ms, 50 * ms, 100 * ms, 200 * ms, 500 * ms, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second}
)

func watchdogPlan(v Values, tail, lease time.Duration) lab.Plan {
	return lab.Plan{
		Store: redisstore.Store, Params: stage.Params{TTL: lease},
		Processes: 1, Threads: holders,
		Latency: lab.Latency{Median: localNetwork.Median, P999: tail}, Costs: redisCosts, Limit: 1000 * time.Hour,
		Client: func(c *cell.Client) func(*lab.Thread) {
			client := redisClient(c, redisstore.Options(c), 3*holders)
			return func(t *lab.Thread) {
				l := redislocks.NewWatchdog(client, c.LockName()+strconv.Itoa(t.Number), redislocks.WatchdogOptions{
					Options: redislocks.Options{TTL: lease, Clock: c.Clock(), Rand: t.Rand},
				})
				defer func() { _ = l.Close() }()
				for range v["holds"] / holders {
					if h := t.Acquire(l, 0); h != nil {
						t.Sleep(lease * time.Duration(v["periods"]) / 3)
						_ = t.Release(h)
					}
				}
			}
		},
	}
}

// losses returns the number of holds of a variant, over all seeds, and the number of those that lost the lock. An Acquire
// that succeeded too late for its own lease, and so was given up, is a hold that lost it. One that failed is no hold.
func losses(samples []*lab.Sample) (lost, holds int) {
	for _, s := range samples {
		lost += s.Lost() + s.Count(lab.TimedOut)
		holds += s.Count(lab.Acquired) + s.Count(lab.TimedOut)
	}
	return lost, holds
}

func reportWatchdog(r Results) labreport.Report {
	table := labreport.Table{Title: "Holds that lost the lock, of 10,000", What: "latency, 99.9 %"}
	for _, lease := range leases {
		table.Columns = append(table.Columns, labreport.Column{Name: "lease " + lease.String()})
	}
	table.Columns = append(table.Columns, labreport.Column{Name: "smallest lease that holds", Unit: "ms"})
	curve := labreport.Plot{
		Title: fmt.Sprintf("The smallest lease with less than %d of 10,000 holds lost", r.Values["most"]), Kind: labreport.Lines,
		X: labreport.Axis{Name: "latency, 99.9 %", Unit: "ms", Log: true}, Y: labreport.Axis{Name: "lease", Unit: "ms", Log: true},
		Series: []labreport.Series{{Name: "smallest lease"}},
	}
	rates := labreport.Plot{
		Title: "Holds that lost the lock", Kind: labreport.Lines,
		X: labreport.Axis{Name: "lease", Unit: "ms", Log: true}, Y: labreport.Axis{Name: "lost, of 10,000"},
	}
	for i, tail := range tails {
		row := labreport.Row{Name: tail.String()}
		series := labreport.Series{Name: "99.9 % within " + tail.String()}
		for j, lease := range leases {
			f := lossFigure(losses(r.Samples[i*len(leases)+j]))
			row.Cells = append(row.Cells, f)
			series.Points = append(series.Points, labreport.Point{X: lab.Milliseconds(lease), Y: f.Median, Low: f.Low, High: f.High})
		}
		smallest := smallestLease(row.Cells, r.Values["most"])
		row.Cells = append(row.Cells, certain(smallest))
		table.Rows = append(table.Rows, row)
		rates.Series = append(rates.Series, series)
		if !math.IsNaN(smallest) {
			curve.Series[0].Points = append(curve.Series[0].Points, labreport.Point{X: lab.Milliseconds(tail), Y: smallest, Low: smallest, High: smallest})
		}
	}
	return labreport.Report{
		Tables: []labreport.Table{table}, Plots: []labreport.Plot{curve, rates},
		Claims: watchdogClaims(r),
		Notes: []string{
			fmt.Sprintf("A latency is log-normal, with a median of %v and the 99.9th percentile of the row. It is one of 65,536 quantiles, so one segment of 65,536 is the slowest that there is. A renewal is a round trip: two of them. One that fails or is late is tried again until the lease is over.", localNetwork.Median),
			watchdogNote(r),
		},
	}
}

// watchdogNote describes the precision of the figures.
func watchdogNote(r Results) string {
	_, holds := losses(r.Samples[0])
	return fmt.Sprintf("The figures of this table are of all seeds together, with a confidence interval of 95 %% (Wilson). A lease without losses in %d holds loses less than %s of 10,000 with that confidence; which lease is the smallest is read from the figures, not from their intervals.",
		holds, labreport.Number(lossFigure(0, holds).High))
}

// watchdogClaims returns claims about single seeds.
func watchdogClaims(r Results) []labreport.Claim {
	at := func(samples []*lab.Sample, tail, lease time.Duration) (lost int) {
		lost, _ = losses(samples[slices.Index(tails, tail)*len(leases)+slices.Index(leases, lease) : slices.Index(tails, tail)*len(leases)+slices.Index(leases, lease)+1])
		return lost
	}
	enough := func([]*lab.Sample) bool { return r.Values["holds"] >= 100 } // otherwise no loss proves little
	return []labreport.Claim{
		r.ClaimWhere("Redisson's lease of 30 s, renewed every 10 s, loses no hold even if one segment of 1,000 takes a second.", enough, func(s []*lab.Sample) bool { return at(s, time.Second, 30*time.Second) == 0 }),
		r.Claim("A lease of 100 ms loses holds if one segment of 1,000 takes 100 ms.", func(s []*lab.Sample) bool { return at(s, 100*ms, 100*ms) > 0 }),
		r.ClaimWhere("A lease of 100 ms loses none if one segment of 1,000 takes 3 ms.", enough, func(s []*lab.Sample) bool { return at(s, 3*ms, 100*ms) == 0 }),
	}
}

// lossFigure returns the losses per 10,000 holds, with Wilson's interval. E. B. Wilson: Probable Inference, the Law of
// Succession, and Statistical Inference (1927).
func lossFigure(lost, holds int) labreport.Figure {
	f := labreport.None()
	if holds == 0 {
		return f
	}
	const z = 1.959963984540054
	n, p := float64(holds), float64(lost)/float64(holds)
	centre, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 10_000 / (1 + z*z/n)
	f.Median, f.Low, f.High = 10_000*p, max(0, scale*(centre-half)), scale*(centre+half)
	return f
}

// smallestLease returns the smallest lease such that no longer one loses so many, in milliseconds; NaN if the longest
// does.
func smallestLease(cells []labreport.Figure, most int) float64 {
	smallest := math.NaN()
	for i, lease := range slices.Backward(leases) {
		if cells[i].Median >= float64(most) {
			break
		}
		smallest = lab.Milliseconds(lease)
	}
	return smallest
}

// certain returns a figure without a confidence interval.
func certain(v float64) labreport.Figure {
	f := labreport.None()
	f.Median, f.Low, f.High = v, v, v
	return f
}
