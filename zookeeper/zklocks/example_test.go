package zklocks_test

import (
	"context"
	"log"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks"
)

// A holder passes its token on with every access, and stops when the lock is lost.
func Example() {
	const timeout = 10 * time.Second
	conn, events, err := zk.Connect([]string{"127.0.0.1:2181"}, timeout)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	session := zklocks.Open(conn, events, timeout, zklocks.SessionOptions{})
	locker := zklocks.NewZookeeper(session, "/locks/orders", zklocks.Options{})

	ctx := context.Background()
	lease, err := locker.Acquire(ctx)
	if err != nil {
		log.Print(err)
		return
	}
	defer func() { _ = lease.Release(context.WithoutCancel(ctx)) }()
	select {
	case <-lease.(lock.Notifier).Lost():
		log.Print("the lock is lost")
	default:
		log.Print("work with the token ", lease.(lock.Fenced).Token())
	}
}
