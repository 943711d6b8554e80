package etcdlocks_test

import (
	"context"
	"log"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockpick-dev/lockpick/etcd/etcdlocks"
	"github.com/lockpick-dev/lockpick/lock"
)

// A holder passes its token on with every access, and stops when the lock is lost.
func Example() {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:2379"}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	locker := etcdlocks.NewEtcd(client, "/locks/orders", etcdlocks.Options{TTL: 10 * time.Second})

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
