package redislocks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// Store is the store of package pull over Redis: one value under one key, by
// scripts, each of which is one atomic step. It takes any client of go-redis: a
// single server's, a cluster's, a failover client.
//
// Commands: one EVALSHA for each operation.
type Store struct {
	client redis.Scripter
}

// NewStore returns a store on the client's server.
func NewStore(client redis.Scripter) Store { return Store{client} }

// NewPull returns a locker of package pull for the lock of the given name, which
// is the key: the lock for production. See that package for what it guarantees
// and what breaks it.
//
// options.IOTimeout becomes the deadline of each request's context. go-redis
// applies it to reads and writes only with ContextTimeoutEnabled; otherwise only
// between requests, so that a request takes up to the client's ReadTimeout. Set one
// of the two. For a shared client, client.WithTimeout(options.RequestTimeout())
// does, but may lose its hooks.
func NewPull(client redis.Scripter, name string, options pull.Options) *pull.Locker {
	return pull.New(NewStore(client), name, options)
}

// AddIfAbsent takes a lock that is free, or that the value holds.
func (s Store) AddIfAbsent(ctx context.Context, name, value string, ttl time.Duration) (added bool, err error) {
	return scripts.AddIfAbsent.Run(ctx, s.client, []string{name}, value, scripts.Millis(ttl)).Bool()
}

// CompareAndDelete releases a lock that the value holds.
func (s Store) CompareAndDelete(ctx context.Context, name, value string) (deleted bool, err error) {
	return scripts.CompareAndDelete.Run(ctx, s.client, []string{name}, value).Bool()
}

// Has reports whether the value holds a lock.
func (s Store) Has(ctx context.Context, name, value string) (has bool, err error) {
	return scripts.HasValue(ctx, s.client, name, value)
}

// CompareAndExpire extends a lock that the value holds.
func (s Store) CompareAndExpire(ctx context.Context, name, value string, ttl time.Duration) (held bool, err error) {
	return scripts.Expire(ctx, s.client, name, value, ttl)
}
