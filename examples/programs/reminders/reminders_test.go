package reminders_test

import (
	"testing"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/examples/programs/reminders"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/stores/mysql"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

var database = mysql.Schema(reminders.Schema...)

func worker(careful bool) locktest.Program {
	p := locktest.Program{
		Summary:   "a worker that notes what it sends before it sends it",
		Stores:    []locktest.Store{redis.Store, database},
		Processes: 2,
		Rules:     []program.Rule{program.AtMostOnce("no reminder is sent twice", "mail")},
		Main: func(p *locktest.Process) error {
			locks := redsync.New(goredis.NewPool(redis.Connect(p)))
			w := reminders.Worker{
				DB: mysql.Connect(p), Lock: locks.NewMutex("reminders", redsync.WithExpiry(p.TTL())), Name: p.Name(),
				Send: func(id int64) { p.Effect("mail", id) }, Sleep: p.Clock().Sleep, Careful: careful,
			}
			return w.Run(p.Context())
		},
	}
	if careful { // what a replica does not have is lost with the primary
		p.Needs = cell.Needs{Settings: []cell.OwnSetting{{Name: "semi-sync", Value: 1}}}
	}
	return p
}

func TestCareful(t *testing.T) {
	locktest.CheckProgram(t, worker(true))
}

func TestCareless(t *testing.T) {
	p := worker(false)
	p.Variants = []locktest.Program{worker(true)}
	locktest.CheckProgram(t, p)
}
