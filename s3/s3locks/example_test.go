package s3locks_test

import (
	"context"
	"log"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/s3/s3locks"
)

// A lease for a resource that checks the token.
func Example() {
	ctx := context.Background()
	client := s3.New(s3.Options{Region: "eu-central-1"}) // or s3.NewFromConfig
	locker := s3locks.NewLease(client, "my-bucket", "locks/orders", s3locks.Options{TTL: 30 * time.Second})

	lease, err := locker.Acquire(ctx)
	if err != nil {
		log.Print(err)
		return
	}
	defer func() { _ = lease.Release(context.WithoutCancel(ctx)) }()
	log.Print("work until ", lease.(lock.Expirer).Until(), " with the token ", lease.(lock.Fenced).Token())
}
