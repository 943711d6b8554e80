package together

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/stores/file"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// database has a table with one account.
var database = mysql.Schema(
	"CREATE TABLE accounts (id BIGINT NOT NULL PRIMARY KEY, balance BIGINT NOT NULL)",
	"INSERT INTO accounts (id, balance) VALUES (1, 0)",
)

// user does something in a store, again and again, with the store's unmodified client.
type user func(ctx context.Context, round int) error

// connections are how a process connects to each store.
var connections = map[string]func(p *cell.Process) user{
	"redis": func(p *cell.Process) user {
		client := redis.Connect(p)
		return func(ctx context.Context, round int) error {
			taken, err := client.SetNX(ctx, "job", p.Name(), p.TTL()).Result()
			if err == nil && taken {
				err = client.Del(ctx, "job").Err()
			}
			return err
		}
	},
	"mysql": func(p *cell.Process) user {
		db := mysql.Connect(p)
		return func(ctx context.Context, round int) error {
			// database/sql undoes a transaction whose own context ends while it holds a mutex.
			tx, err := db.BeginTx(context.WithoutCancel(ctx), nil)
			if err != nil {
				return err
			}
			defer func() { _ = tx.Rollback() }()
			var balance int
			if err := tx.QueryRowContext(ctx, "SELECT balance FROM accounts WHERE id = 1 FOR UPDATE").Scan(&balance); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = ? WHERE id = 1", balance+1); err != nil {
				return err
			}
			return tx.Commit()
		}
	},
	"zookeeper": func(p *cell.Process) user {
		conn, events := zookeeper.Connect(p)
		go func() {
			for range events {
			}
		}()
		return func(ctx context.Context, round int) error {
			// After a pause that ended a call to another store, the library would pick at random between
			// this request and a ping that is due.
			p.Clock().Sleep(time.Millisecond)
			_, err := conn.Create("/job", []byte(p.Name()), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
			if errors.Is(err, zk.ErrNodeExists) {
				return nil
			}
			if err == nil {
				err = conn.Delete("/job", -1)
			}
			return err
		}
	},
	"file": func(p *cell.Process) user {
		client := file.Connect(p)
		return func(ctx context.Context, round int) error {
			name := fmt.Sprintf("%s-%d-%d", p.Name(), p.Life(), round)
			if err := client.Create(ctx, name, "done"); err != nil {
				return err
			}
			return client.Remove(ctx, name)
		}
	},
}

// rounds is how often a process uses each of its stores.
const rounds = 3

// using is a program that uses all of its stores in each round.
func using(stores ...stage.Store) cell.Program {
	p := cell.Program{
		ID: "using", Summary: "uses several stores", Stores: stores, Processes: 2,
		Main: func(p *cell.Process) error {
			var users []user
			for _, s := range stores {
				users = append(users, connections[s.ID()](p))
			}
			for round := range rounds {
				for i, s := range stores {
					ctx, cancel := context.WithTimeout(p.Context(), 2*time.Second)
					err := users[i](ctx, round)
					cancel()
					p.Sometimes(err == nil, answered(s))
					if p.Context().Err() != nil {
						return nil
					}
				}
			}
			return nil
		},
	}
	for _, s := range stores {
		p.Rules = append(p.Rules, program.Sometimes(answered(s)))
	}
	return p
}

// answered is the rule that a store answers at least once.
func answered(s stage.Store) string { return s.ID() + " answers" }
