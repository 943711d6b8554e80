package main

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
)

// BenchmarkPair has one thread acquire and release a lock that it has for itself. It
// is for CPU profiles; `make bench-locks` compares the locks.
func BenchmarkPair(b *testing.B) {
	server := realredis.Start(b)
	for _, s := range subjects() {
		b.Run(s.name, func(b *testing.B) {
			client := redis.NewClient(&redis.Options{Addr: server.Addr})
			defer client.Close()
			acquire, end := s.make(client, "lock")
			defer end()
			b.ReportAllocs()
			for b.Loop() {
				release, err := acquire(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				if err := release(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
