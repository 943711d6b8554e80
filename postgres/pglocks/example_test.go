package pglocks_test

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
)

// A lease for a resource that is elsewhere and checks the token.
func Example() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "postgres://user:password@127.0.0.1:5432/shop")
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	if err := pglocks.Create(ctx, pool); err != nil { // the tables, once
		log.Print(err)
		return
	}
	locker := pglocks.NewLease(pool, "orders", pglocks.Options{TTL: 10 * time.Second})

	lease, err := locker.Acquire(ctx)
	if err != nil {
		log.Print(err)
		return
	}
	defer func() { _ = lease.Release(context.WithoutCancel(ctx)) }()
	log.Print("work until ", lease.(lock.Expirer).Until(), " with the token ", lease.(lock.Fenced).Token())
}

// A leader that lives with its session stops when the session has ended.
func ExampleAdvisory() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "postgres://user:password@127.0.0.1:5432/shop")
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	lease, err := pglocks.NewAdvisory(pool, "leader", pglocks.Options{TTL: 10 * time.Second}).Acquire(ctx)
	if err != nil {
		log.Print(err)
		return
	}
	defer func() { _ = lease.Release(context.WithoutCancel(ctx)) }()
	<-lease.(lock.Notifier).Lost()
	log.Print("another may lead")
}

// Items that are in the same database need no lock that could end too early.
func ExampleQueue() {
	db, err := sql.Open("pgx", "postgres://user:password@127.0.0.1:5432/shop")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	queue := pglocks.NewQueue(db, "tickets", pglocks.Options{})

	err = queue.Sell(context.Background(), 2, func(context.Context) error { return nil /* charge the customer */ })
	if errors.Is(err, lock.ErrSoldOut) {
		log.Print("there are fewer than 2")
	}
}
