package sqllocks_test

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks"
)

// A lease for a resource that is elsewhere and checks the token.
func Example() {
	db, err := sql.Open("mysql", "user:password@tcp(127.0.0.1:3306)/shop")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	if err := sqllocks.Create(ctx, db); err != nil { // the tables, once
		log.Print(err)
		return
	}
	locker := sqllocks.NewLease(db, "orders", sqllocks.Options{TTL: 10 * time.Second})

	lease, err := locker.Acquire(ctx)
	if err != nil {
		log.Print(err)
		return
	}
	defer func() { _ = lease.Release(context.WithoutCancel(ctx)) }()
	log.Print("work until ", lease.(lock.Expirer).Until(), " with the token ", lease.(lock.Fenced).Token())
}

// Items that are in the same database need no lock that could end too early.
func ExampleOptimisticStock() {
	db, err := sql.Open("mysql", "user:password@tcp(127.0.0.1:3306)/shop")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	stock := sqllocks.NewOptimisticStock(db, "tickets", sqllocks.Options{})

	err = stock.Sell(context.Background(), 2, func(context.Context) error { return nil /* charge the customer */ })
	if errors.Is(err, lock.ErrSoldOut) {
		log.Print("there are fewer than 2")
	}
}
