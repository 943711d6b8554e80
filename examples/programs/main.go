// Command programs is simrun with the programs of this directory, each as people write it and
// repaired: code that uses locks and databases, over simulated Redis, MySQL and ZooKeeper.
//
//	go run . list
//	go run . run gc-pause --program reminders
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	goredis9 "github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/examples/programs/cache"
	"github.com/lockpick-dev/lockpick/examples/programs/controller"
	"github.com/lockpick-dev/lockpick/examples/programs/gateway"
	"github.com/lockpick-dev/lockpick/examples/programs/orders"
	"github.com/lockpick-dev/lockpick/examples/programs/reminders"
	"github.com/lockpick-dev/lockpick/examples/programs/transfers"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/program/models"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/zookeeper"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks"
)

func main() { simrun.Main(simrun.Programs(all...)) }

// all are the programs.
var all = []cell.Program{remind(false), sell(false), control(false), fill(), move(false), serve(false)}

// synchronous makes a commit wait until a replica has it, for as long as it takes: what a replica does not have is
// lost with the primary. With MySQL's default it waits for ten seconds, and a longer partition loses commits.
var synchronous = cell.Needs{Followers: 1, Settings: []cell.OwnSetting{{Name: "semi-sync", Value: 2}}}

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

var controllerStore = mysql.Schema(controller.Schema...)

// control elects a leader, which writes.
func control(fenced bool) cell.Program {
	const rule = "no leader writes after a newer one"
	p := cell.Program{
		ID: "controller", Summary: "a leader of etcd's election writes to MySQL", Flawed: true,
		Stores: []stage.Store{etcd.Store, controllerStore},
		Rules:  []program.Rule{program.Always(rule)},
		Main: func(p *cell.Process) error {
			c := controller.Controller{
				Etcd: etcd.Connect(p), DB: mysql.Connect(p), Name: p.Name(), TTL: max(int(p.TTL()/time.Second), 1), Sleep: p.Clock().Sleep, Fenced: fenced,
				Wrote: func(before, term int64) { p.Always(before <= term, rule, "of", term, "after", before) },
			}
			if err := c.Lead(p.Context(), 3); err != nil {
				p.Event("gives up", err)
			}
			return nil
		},
	}
	if fenced {
		p.ID, p.Flawed, p.Needs, p.Summary = "controller-fenced", false, synchronous, "a leader whose writes are fenced by the election's revision"
		return p
	}
	p.Variants = []cell.Program{control(true)}
	return p
}

// fill fills a cache. Two may compute its entry, and that is harmless: there is nothing to repair.
func fill() cell.Program {
	const same, again = "everybody gets the value", "two compute the entry"
	return cell.Program{
		ID: "cache", Summary: "an entry that is computed under a lock", Stores: []stage.Store{redis.Store},
		Rules: []program.Rule{program.Always(same), program.Sometimes(again)},
		Main: func(p *cell.Process) error {
			c := cache.Cache{
				Redis: redis.Connect(p), TTL: p.TTL(), Sleep: p.Clock().Sleep,
				Compute: func() string {
					p.Clock().Sleep(p.TTL() / 2)
					return "42"
				},
				Again: func() { p.Sometimes(true, again) },
			}
			value, err := c.Get(p.Context())
			if err == nil {
				p.Always(value == "42", same, value)
			}
			return nil
		},
	}
}

var transfersStore = mysql.Schema(transfers.Schema...)

// move moves money.
func move(atomic bool) cell.Program {
	p := cell.Program{
		ID: "transfers", Summary: "a debit and a credit in MySQL under a lock in ZooKeeper", Flawed: true,
		Stores: []stage.Store{zookeeper.Store, transfersStore},
		Main: func(p *cell.Process) error {
			conn, events := zookeeper.Connect(p)
			session := zklocks.Open(conn, events, p.TTL(), zklocks.SessionOptions{Clock: p.Clock()})
			c := transfers.Clerk{DB: mysql.Connect(p), Lock: unhurried{zklocks.NewZookeeper(session, "/accounts", zklocks.Options{}), p.Clock().Sleep}, Sleep: p.Clock().Sleep, Atomic: atomic}
			from, to := "alice", "bob"
			if p.Number()%2 > 0 {
				from, to = to, from
			}
			if err := c.Move(p.Context(), from, to, 10); err != nil {
				p.Event("gives up", err)
			}
			return nil
		},
		Finally: func(p *cell.Process) error {
			var sum int64
			err := mysql.Connect(p).QueryRowContext(p.Context(), "SELECT SUM(balance) FROM accounts").Scan(&sum)
			if err == nil && sum != transfers.Total {
				err = fmt.Errorf("the accounts have %d together, and had %d", sum, transfers.Total)
			}
			return err
		},
	}
	if atomic {
		p.ID, p.Flawed, p.Summary = "transfers-atomic", false, "a debit and a credit in one transaction"
		return p
	}
	p.Variants = []cell.Program{move(true)}
	return p
}

// unhurried lets a moment pass before a release, which follows a request of MySQL. Without it, runs in
// which that request ends in a pause may differ: go-zookeeper/zk picks at random between a request and a
// ping that is due.
type unhurried struct {
	lock.Locker
	sleep func(time.Duration)
}

// Acquire is that of the lock.
func (u unhurried) Acquire(ctx context.Context) (lock.Lease, error) {
	lease, err := u.Locker.Acquire(ctx)
	return unhurriedLease{lease, u.sleep}, err
}

type unhurriedLease struct {
	lock.Lease
	sleep func(time.Duration)
}

// Release is that of the lease, a moment later.
func (u unhurriedLease) Release(ctx context.Context) error {
	u.sleep(time.Millisecond)
	return u.Lease.Release(ctx)
}

// fencedRead and fencedWrite refuse a token that is lower than one that was seen.
var (
	fencedRead = goredis9.NewScript(`local f = tonumber(redis.call('GET', KEYS[2]) or '0')
if tonumber(ARGV[1]) < f then return -1 end
redis.call('SET', KEYS[2], ARGV[1])
return tonumber(redis.call('GET', KEYS[1]) or '0')`)
	fencedWrite = goredis9.NewScript(`if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[2]) or '0') then return -1 end
redis.call('SET', KEYS[1], ARGV[2])
return 0`)
)

// serve has a process that holds a lock for two others, over net/http. They count in Redis.
func serve(fenced bool) cell.Program {
	p := cell.Program{
		ID: "gateway", Summary: "one process holds the lock for others, and forgets it when it starts anew", Flawed: true,
		Stores: []stage.Store{redis.Store}, Processes: 3,
		Rules: []program.Rule{program.Linearizable("no count is lost", "counter", models.Counter(0))},
		Main: func(p *cell.Process) error {
			rdb := redis.Connect(p)
			if p.Number() == 0 {
				return hold(p, rdb, fenced)
			}
			transport := &http.Transport{DialContext: p.Dial, DisableKeepAlives: true}
			p.Cleanup(transport.CloseIdleConnections)
			c := gateway.Client{HTTP: &http.Client{Transport: transport, Timeout: time.Second}, URL: "http://" + p.AddressOf(0, 80), Sleep: p.Clock().Sleep}
			for range 2 {
				token, err := c.Take(p.Context())
				if err != nil {
					return nil
				}
				_, _ = p.Do("counter", models.Add{N: 1}, func() (any, error) { return count(p, rdb, token, fenced) })
				_ = c.Give(p.Context(), token)
			}
			return nil
		},
	}
	if fenced {
		p.ID, p.Flawed, p.Summary = "gateway-fenced", false, "the same with a token from Redis, by which writes are fenced"
		return p
	}
	p.Variants = []cell.Program{serve(true)}
	return p
}

// hold is the process that has the lock.
func hold(p *cell.Process, rdb *goredis9.Client, fenced bool) error {
	l, err := p.Listen(80)
	if err != nil {
		return err
	}
	g := &gateway.Gateway{}
	if fenced {
		g.Next = func(ctx context.Context) (int64, error) { return rdb.Incr(ctx, "token").Result() }
	}
	return g.Serve(p.Context(), l)
}

// count adds one under the lock.
func count(p *cell.Process, rdb *goredis9.Client, token int64, fenced bool) (any, error) {
	keys := []string{"counter", "fence"}
	if !fenced {
		n, err := rdb.Get(p.Context(), "counter").Int64()
		if err != nil && !errors.Is(err, goredis9.Nil) {
			return nil, errors.Join(cell.ErrNoEffect, err)
		}
		p.Clock().Sleep(100 * time.Millisecond)
		return n + 1, rdb.Set(p.Context(), "counter", n+1, 0).Err()
	}
	n, err := fencedRead.Run(p.Context(), rdb, keys, token).Int64()
	if err != nil || n < 0 {
		return nil, errors.Join(cell.ErrNoEffect, err)
	}
	p.Clock().Sleep(100 * time.Millisecond)
	refused, err := fencedWrite.Run(p.Context(), rdb, keys, token, n+1).Int64()
	if err == nil && refused < 0 {
		return nil, cell.ErrNoEffect
	}
	return n + 1, err
}
