// Command gocron is simrun with a job of go-co-op/gocron that runs in two instances, under its lock in
// Redis, and its repair.
//
//	go run . run clock-skew --program reports
package main

import (
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/examples/gocron/reports"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

func main() { simrun.Main(simrun.Programs(report(false))) }

// report sends reports.
func report(noted bool) cell.Program {
	p := cell.Program{
		ID: "reports", Summary: "a job of gocron under its lock in Redis", Flawed: true,
		Stores: []stage.Store{redis.Store},
		Rules:  []program.Rule{program.AtMostOnce("no report is sent twice", "report")},
		Main: func(p *cell.Process) error {
			i := reports.Instance{
				Redis: redis.Connect(p), Clock: p.Clock(), TTL: p.TTL(), Noted: noted,
				Send: func(due time.Time) { p.Effect("report", due.Format(time.TimeOnly)) },
			}
			return i.Run(p.Context())
		},
	}
	if noted {
		p.ID, p.Flawed, p.Summary = "reports-noted", false, "a report that is noted in Redis before it is sent"
		return p
	}
	p.Variants = []cell.Program{report(true)}
	return p
}
