package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// optimistic compares a version with a row lock, as the load grows.
var optimistic = &Experiment{
	ID:       "optimistic",
	Summary:  "how many attempts of an optimistic lock fail under load, beside a pessimistic one",
	Question: "How many attempts of an optimistic lock fail as more clients compete, and what does that cost beside a pessimistic lock?",
	Source:   "crazymakercircle and others: Distributed locks, part on locks of a database (an optimistic lock fails in masses under high concurrency)",
	Seeds:    5,
	Settings: []Setting{
		{Name: "clients", About: "the most clients; runs have 1, 2, 5, 10, 20 and 50, up to that", Unit: 1, Default: 50, Min: 2, Max: 50},
		{Name: "order", About: "how long an order takes, in its transaction", Unit: time.Millisecond, Default: 2, Min: 1, Max: 60_000},
		{Name: "away", About: "least time between two orders of a client; it is drawn from [away, 2*away)", Unit: time.Millisecond, Default: 20, Min: 0, Max: 60_000},
		{Name: "pause", About: "least pause before an attempt that failed is made again; it is drawn from [pause, 2*pause)", Unit: time.Millisecond, Default: 10, Min: 1, Max: 60_000},
		{Name: "duration", About: "how long a run lasts", Unit: time.Millisecond, Default: 10_000, Min: 100, Max: 3_600_000},
	},
	Variants: optimisticVariants,
	Report:   reportOptimistic,
}

// stockSizes are the numbers of clients that sell from a stock.
var stockSizes = []int{1, 2, 5, 10, 20, 50}

// The stocks of the program, and their names. The constants are their indexes.
var (
	stockLocks = []string{"db-optimistic", "db-pessimistic"}
	stockRows  = []string{"optimistic: compares a version", "pessimistic: FOR UPDATE"}
)

const optimisticStock, pessimisticStock = 0, 1

func optimisticVariants(v Values, locks []cell.Lock) (list []Variant, _ error) {
	for i, id := range stockLocks {
		at := slices.IndexFunc(locks, func(l cell.Lock) bool { return l.ID == id })
		if at < 0 {
			return nil, errors.New("the program does not have " + id + ", a stock over MySQL")
		}
		for _, n := range upTo(stockSizes, v["clients"]) {
			list = append(list, Variant{Name: stockRows[i] + ", " + wording.Count(n, "client"), Plan: optimisticPlan(v, locks[at], n)})
		}
	}
	return list, nil
}

// plenty is more than any run sells.
const plenty = 1_000_000_000

// optimisticPlan makes each client, a process of its own, serve one order after another until the end of the run.
func optimisticPlan(v Values, l cell.Lock, clients int) lab.Plan {
	until := v.Duration("duration")
	return lab.Plan{
		Store: l.Store, Params: l.AtLeast(stage.Params{TTL: time.Minute}),
		Processes: clients, Threads: 1, Pause: v.Duration("pause"),
		Latency: localNetwork, Costs: measured[l.Store.ID()], Until: until, Limit: until,
		Client: func(c *cell.Client) func(*lab.Thread) {
			stock, ok := l.Construct(c).(fillable)
			if !ok {
				panic("experiments: " + l.ID + " is no stock that can be filled")
			}
			return func(t *lab.Thread) {
				_, err := stock.Fill(t.Context(), plenty)
				for err == nil && !t.Over() {
					t.Sleep(drawn(t, v.Duration("away")))
					t.Task(t.Now(), func(*lab.Task) error {
						return stock.Sell(t.Context(), 1, func(context.Context) error {
							t.Sleep(v.Duration("order"))
							return nil
						})
					})
				}
			}
		},
	}
}

// fillable is a stock that can be filled.
type fillable interface {
	lock.Stock
	lock.Filler
}

// drawn returns a time of [least, 2*least), in whole microseconds.
func drawn(t *lab.Thread, least time.Duration) time.Duration {
	if least == 0 {
		return 0
	}
	return least + time.Duration(t.Rand.Int64N(int64(least))).Truncate(time.Microsecond)
}

// attempts returns the number of attempts to take items, and in failed the number of those that took none: each attempt is
// one UPDATE, and a failed one is rolled back.
func attempts(s *lab.Sample) (n, failed int) {
	for node := range s.Requests { // unordered: sums
		n += s.Served(node, "UPDATE")
		failed += s.Served(node, "ROLLBACK")
	}
	return n, failed
}

// failedShare returns how many of the attempts failed, in percent.
func failedShare(s *lab.Sample) float64 {
	n, failed := attempts(s)
	return ratio(100*float64(failed), float64(n))
}

func reportOptimistic(r Results) labreport.Report {
	b := bySize{Results: r, what: "stock", one: "client", rows: stockRows, sizes: upTo(stockSizes, r.Values["clients"])}
	took := func(q float64) func(*lab.Sample) float64 {
		return func(s *lab.Sample) float64 { return labreport.Quantile(taskTimes(s), q) }
	}
	perOrder := func(s *lab.Sample) float64 { return ratio(float64(s.Asked()), float64(len(orders(s)))) }
	linear := func(p labreport.Plot) labreport.Plot {
		p.Y.Log = false
		return p
	}
	return labreport.Report{
		Tables: []labreport.Table{
			b.table("Attempts that fail", "%", failedShare),
			b.table("Orders per second", "1/s", taskRate),
			b.table("Time of an order, median", "ms", took(0.5)),
			b.table("Time of an order, 99 %", "ms", took(0.99)),
			b.table("Requests per order", "", perOrder),
		},
		Plots: []labreport.Plot{
			linear(b.plot("Attempts that fail", "of all attempts", "%", failedShare)),
			linear(b.plot("Orders per second", "orders", "1/s", taskRate)),
			b.plot("Time of an order, 99 %", "time", "ms", took(0.99)),
			b.plot("Requests per order", "requests", "", perOrder),
		},
		Claims: optimisticClaims(b, took(0.99), perOrder),
		Notes: []string{
			"Each client is a process of its own with one connection. It stays away for a while after an order. An attempt of the optimistic stock that finds another version is rolled back, and made again after a pause, until it succeeds: the document's own listing gives up, so what fails here is what its users are told.",
			"The transaction of the optimistic stock has the row from its UPDATE to its COMMIT, and the order is served in between: those who have read the old version meanwhile wait for the row, and then fail.",
			"Where nobody competes an order takes five requests: BEGIN, SELECT, UPDATE, INSERT and COMMIT. What is under way when the run ends counts in no time of an order.",
		},
	}
}

// optimisticClaims returns the claims. They are about the most clients if they name no others.
func optimisticClaims(b bySize, slowest, perOrder func(*lab.Sample) float64) []labreport.Claim {
	of := func(s []*lab.Sample, stock int) *lab.Sample { return s[b.at(stock, b.last())] }
	most := b.number(b.last())
	return []labreport.Claim{
		b.Claim(fmt.Sprintf("An optimistic lock fails in masses under high concurrency: with %s more than half of the attempts.", most), func(s []*lab.Sample) bool {
			return failedShare(of(s, optimisticStock)) > 50
		}),
		b.Claim("With each larger number of clients a larger share of its attempts fails.", func(s []*lab.Sample) bool {
			for size := 1; size < len(b.sizes); size++ {
				if failedShare(s[b.at(optimisticStock, size)]) <= failedShare(s[b.at(optimisticStock, size-1)]) {
					return false
				}
			}
			return true
		}),
		b.Claim("No attempt of the pessimistic lock fails.", func(s []*lab.Sample) bool {
			return !slices.ContainsFunc(s[b.at(pessimisticStock, 0):], func(x *lab.Sample) bool { return failedShare(x) > 0 })
		}),
		b.Claim(fmt.Sprintf("A pessimistic lock works slowly and loads the database: with %s it serves fewer orders per second, with more requests for each.", most), func(s []*lab.Sample) bool {
			o, p := of(s, optimisticStock), of(s, pessimisticStock)
			return taskRate(p) < taskRate(o) && perOrder(p) > perOrder(o)
		}),
		b.Claim(fmt.Sprintf("With %s, 99 %% of the orders of the pessimistic lock are served sooner than 99 %% of those of the optimistic one.", most), func(s []*lab.Sample) bool {
			return slowest(of(s, pessimisticStock)) < slowest(of(s, optimisticStock))
		}),
	}
}
