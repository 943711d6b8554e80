// Command programs is simrun with the programs of this directory, each as people write it and
// repaired: code that uses locks and databases, over simulated Redis, MySQL and ZooKeeper.
//
//	go run . list
//	go run . run gc-pause --program reminders
package main

import (
	"errors"
	"fmt"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/examples/programs/orders"
	"github.com/lockpick-dev/lockpick/examples/programs/reminders"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/mysql"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

func main() { simrun.Main(simrun.Programs(all...)) }

// all are the programs.
var all = []cell.Program{remind(false), sell(false)}

// synchronous makes a commit wait until a replica has it: what a replica does not have is lost with
// the primary.
var synchronous = cell.Needs{Settings: []cell.OwnSetting{{Name: "semi-sync", Value: 1}}}

var remindersStore = mysql.Schema(reminders.Schema...)

// remind sends a reminder.
func remind(careful bool) cell.Program {
	p := cell.Program{
		ID: "reminders", Summary: "a reminder under redsync's lock", Flawed: true,
		Stores: []stage.Store{redis.Store, remindersStore},
		Rules:  []program.Rule{program.AtMostOnce("no reminder is sent twice", "mail")},
		Main: func(p *cell.Process) error {
			locks := redsync.New(goredis.NewPool(redis.Connect(p)))
			w := reminders.Worker{
				DB: mysql.Connect(p), Lock: locks.NewMutex("reminders", redsync.WithExpiry(p.TTL())), Name: p.Name(),
				Send: func(id int64) { p.Effect("mail", id) }, Sleep: p.Clock().Sleep, Careful: careful,
			}
			return w.Run(p.Context())
		},
	}
	if careful {
		p.ID, p.Flawed, p.Needs = "reminders-careful", false, synchronous
		p.Summary = "a reminder that is noted in a unique row before it is sent"
		return p
	}
	p.Variants = []cell.Program{remind(true)}
	return p
}

var ordersStore = mysql.Schema(orders.Schema...)

// sell takes orders.
func sell(conditional bool) cell.Program {
	p := cell.Program{
		ID: "orders", Summary: "orders of a stock in MySQL under a lock in Redis", Flawed: true,
		Stores: []stage.Store{redis.Store, ordersStore}, Processes: 2,
		Rules: []program.Rule{program.Sometimes("an order comes too late")},
		Main: func(p *cell.Process) error {
			l := redislocks.NewSetPX(redis.Connect(p), "stock", redislocks.Options{TTL: p.TTL(), Clock: p.Clock()})
			var held lock.Locker = l
			if !conditional {
				held = p.Watch("stock", l)
			}
			s := orders.Shop{DB: mysql.Connect(p), Lock: held, Sleep: p.Clock().Sleep, Conditional: conditional}
			for i := range 2 {
				err := s.Sell(p.Context(), fmt.Sprintf("%s-%d", p.Name(), i+1))
				p.Sometimes(errors.Is(err, orders.ErrSoldOut), "an order comes too late")
				if err != nil && !errors.Is(err, orders.ErrSoldOut) {
					return err
				}
			}
			return nil
		},
		Finally: func(p *cell.Process) error {
			var left, sold int64
			db := mysql.Connect(p)
			if err := db.QueryRowContext(p.Context(), "SELECT pieces FROM stock WHERE id = 1").Scan(&left); err != nil {
				return err
			}
			if err := db.QueryRowContext(p.Context(), "SELECT COUNT(*) FROM orders").Scan(&sold); err != nil {
				return err
			}
			if left+sold != orders.Pieces {
				return fmt.Errorf("%d pieces were there, %d are sold, and %d are left", orders.Pieces, sold, left)
			}
			return nil
		},
	}
	if conditional {
		p.ID, p.Flawed, p.Needs, p.Summary = "orders-conditional", false, synchronous, "orders by a statement with a condition"
		return p
	}
	p.Variants = []cell.Program{sell(true)}
	return p
}
