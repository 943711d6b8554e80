package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// segments is the published calculation of the gain of splitting a stock.
var segments = &Experiment{
	ID:       "segments",
	Summary:  "a stock under one lock, and split into segments with a lock each",
	Question: "How many orders a second does a stock serve under one lock, and how many if it is split into segments?",
	Source:   "Distributed locks in Redisson, part on segmented locks: 50 a second under one lock, 1,000 with 20",
	Seeds:    20,
	Settings: []Setting{
		{Name: "items", About: "items in stock; each order takes one", Unit: 1, Default: 1000, Min: 1, Max: 1_000_000},
		{Name: "segments", About: "segments of the split stock", Unit: 1, Default: 20, Min: 2, Max: 1000},
		{Name: "order", About: "how long an order takes", Unit: time.Millisecond, Default: 20, Min: 1, Max: 60_000},
		{Name: "instances", About: "client processes", Unit: 1, Default: 4, Min: 1, Max: 100},
		{Name: "threads", About: "threads of each", Unit: 1, Default: 15, Min: 1, Max: 100},
		{Name: "sleep", About: "least pause before an order looks again for a free segment; it is drawn from [sleep, 2*sleep)", Unit: time.Millisecond, Default: 10, Min: 1, Max: 60_000},
	},
	Check: func(v Values) error {
		if v["segments"] > v["items"] {
			return fmt.Errorf("there are more segments (%d) than items (%d): each segment has one item at least", v["segments"], v["items"])
		}
		return nil
	},
	Variants: func(v Values, _ []cell.Lock) ([]Variant, error) {
		return []Variant{
			{Name: "one lock", Plan: segmentsPlan(v, 1)},
			{Name: fmt.Sprintf("%d segments", v["segments"]), Plan: segmentsPlan(v, v["segments"])},
		}, nil
	},
	Report: reportSegments,
}

// itemsLeft is the number of items that the last thread found in stock.
const itemsLeft = "left"

func segmentsPlan(v Values, segments int) lab.Plan {
	return lab.Plan{
		Store: redisstore.Store, Params: stage.Params{TTL: orderLease(v)},
		Processes: v["instances"], Threads: v["threads"],
		Latency: localNetwork, Costs: redisCosts, Limit: 10 * time.Hour,
		Client: func(c *cell.Client) func(*lab.Thread) {
			client := redisClient(c, redisstore.Options(c), v["threads"])
			client.AddHook(requestCounter{})
			pause := v.Duration("sleep")
			stock := redislocks.NewSegmented(client, "stock", redislocks.SegmentedOptions{
				Segments: segments,
				Options:  redislocks.Options{TTL: orderLease(v), MinSleep: pause, RandomSleep: pause, Clock: c.Clock(), Rand: c.Rand()},
			})
			return func(t *lab.Thread) { sellAll(t, stock, v) }
		},
	}
}

// orderLease returns a lease longer than any order.
func orderLease(v Values) time.Duration { return max(30*time.Second, 3*v.Duration("order")) }

// sellAll serves orders until nothing is left.
func sellAll(t *lab.Thread, stock *redislocks.Segmented, v Values) {
	_, err := stock.Fill(t.Context(), v["items"])
	for err == nil && !t.Over() {
		soldOut := false
		t.Task(t.Now(), func(k *lab.Task) (err error) {
			var counted *atomic.Int64
			err = stock.Sell(counting(t.Context(), &counted), 1, func(context.Context) error {
				t.Sleep(v.Duration("order"))
				return nil
			})
			k.Requests = int(counted.Load())
			soldOut = errors.Is(err, lock.ErrSoldOut)
			return err
		})
		if soldOut {
			break
		}
	}
	if left, err := stock.Left(t.Context()); err == nil {
		t.Set(itemsLeft, float64(left))
	}
}

func reportSegments(r Results) labreport.Report {
	sold := func(s *lab.Sample) float64 { return float64(len(s.Tasks) - failedTasks(s)) }
	left := func(s *lab.Sample) float64 {
		if n, told := s.Counts[itemsLeft]; told {
			return n
		}
		return math.NaN()
	}
	items := float64(r.Values["items"])
	most := 1000 / float64(r.Values["order"]) // orders a second under one lock that is never free
	part := func(from, to float64) func(*lab.Sample) float64 {
		return func(s *lab.Sample) float64 { return ordersCost(s, from, to) }
	}
	table := r.Table("Orders", "stock", []Measure{
		{Name: "orders per second", Unit: "1/s", Of: taskRate},
		{Name: "sold", Of: sold},
		{Name: "left", Of: left},
		{Name: "time of an order", Unit: "ms", Of: func(s *lab.Sample) float64 { return labreport.Quantile(soldTimes(s), 0.5) }},
		{Name: "requests per order, first half", Of: part(0, 0.5)},
		{Name: "requests per order, last tenth", Of: part(0.9, 1)},
	})
	if r.Usual() {
		table.Rows[0].Cells[0].Published, table.Rows[1].Cells[0].Published = 50, 1000
	}
	factor := float64(r.Values["segments"])
	return labreport.Report{
		Tables: []labreport.Table{table},
		Plots: []labreport.Plot{
			r.timePlot("Items sold over time", "sold", func(s *lab.Sample) (at []time.Duration) {
				for _, k := range s.Tasks {
					if !k.Failed {
						at = append(at, k.Return)
					}
				}
				return at
			}),
			r.stockPlot("What an order costs as the stock runs low"),
		},
		Claims: []labreport.Claim{
			r.Claim(fmt.Sprintf("Under one lock at most %s orders are served in a second.", labreport.Number(most)), func(s []*lab.Sample) bool { return taskRate(s[0]) <= most }),
			r.Claim("The split stock serves more than half as many times as many as it has segments.", func(s []*lab.Sample) bool {
				return taskRate(s[1]) > factor/2*taskRate(s[0])
			}),
			r.Claim("Nothing is oversold.", func(s []*lab.Sample) bool { return sold(s[0]) <= items && sold(s[1]) <= items }),
			r.Claim("Nothing is stranded: all items are sold.", func(s []*lab.Sample) bool {
				return sold(s[0]) == items && sold(s[1]) == items && left(s[0]) == 0 && left(s[1]) == 0
			}),
			r.Claim("An order of the last tenth of a split stock takes more requests than one of the first half: it has to change the segment.", func(s []*lab.Sample) bool {
				return ordersCost(s[1], 0.9, 1) > ordersCost(s[1], 0, 0.5)
			}),
		},
		Notes: []string{
			"The document reckons: one second has room for 50 orders of 20 ms one after another, and 20 segments for 20 times as many. It leaves out the requests, the pauses of those who find a segment taken, and the end of the stock.",
			"An order that finds its segment taken or empty gives the lock back and goes on to the next one; if all are taken it pauses. That a stock of segments serves less than their number times as many is the price of these.",
		},
	}
}

// orders returns the tasks that sold an item, in the order in which they ended.
func orders(s *lab.Sample) (list []lab.Task) {
	for _, k := range s.Tasks {
		if !k.Failed {
			list = append(list, k)
		}
	}
	slices.SortStableFunc(list, func(a, b lab.Task) int { return cmp.Compare(a.Return, b.Return) })
	return list
}

// soldTimes returns how long orders took, in milliseconds, sorted.
func soldTimes(s *lab.Sample) (list []float64) {
	for _, k := range orders(s) {
		list = append(list, lab.Milliseconds(k.Return-k.Due))
	}
	slices.Sort(list)
	return list
}

// ordersCost returns the mean number of requests of the orders of a part of the stock.
func ordersCost(s *lab.Sample, from, to float64) float64 {
	list := orders(s)
	n := float64(len(list))
	var requests []float64
	for _, k := range list[int(from*n):int(to*n)] {
		requests = append(requests, float64(k.Requests))
	}
	return mean(requests)
}

// stockPlot returns the number of requests of an order over how much of the stock is sold.
func (r Results) stockPlot(title string) labreport.Plot {
	const parts = 20
	p := labreport.Plot{
		Title: title, Kind: labreport.Lines,
		X: labreport.Axis{Name: "sold before", Unit: "%"}, Y: labreport.Axis{Name: "requests per order"},
	}
	for i, v := range r.Variants {
		series := labreport.Series{Name: v.Name}
		for n := range parts {
			f := r.Figure(i, func(s *lab.Sample) float64 { return ordersCost(s, float64(n)/parts, float64(n+1)/parts) })
			series.Points = append(series.Points, labreport.Point{X: 100 * (float64(n) + 0.5) / parts, Y: f.Median, Low: f.Low, High: f.High})
		}
		p.Series = append(p.Series, series)
	}
	return p
}
