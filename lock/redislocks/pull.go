package redislocks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock/pull"
)

// Store is the store of package pull over Redis: one value under one key, by
// scripts, each of which is one atomic step. It takes any client of go-redis: a
// single server's, a cluster's, a failover client.
//
// Commands: one EVALSHA for each operation.
type Store struct {
	client redis.Scripter
}

// NewStore returns a store of what the client leads to.
func NewStore(client redis.Scripter) Store { return Store{client} }

// NewPull returns a locker of package pull for the lock of the given name, which
// is the key: the lock for production. See that package for what it guarantees
// and what breaks it.
//
// options.IOTimeout becomes the deadline of each request's context, which go-redis
// heeds while it reads and writes only with ContextTimeoutEnabled; without it
// between requests only, so that one takes as long as the client's ReadTimeout
// says. Set one of the two; client.WithTimeout(options.RequestTimeout()) does it for
// a client that others share, but may leave its hooks behind.
func NewPull(client redis.Scripter, name string, options pull.Options) *pull.Locker {
	return pull.New(NewStore(client), name, options)
}

// AddIfAbsent takes a lock that is free, or is had by the value.
func (s Store) AddIfAbsent(ctx context.Context, name, value string, ttl time.Duration) (added bool, err error) {
	return addIfAbsent.Run(ctx, s.client, []string{name}, value, millis(ttl)).Bool()
}

// CompareAndDelete releases a lock that is had by the value.
func (s Store) CompareAndDelete(ctx context.Context, name, value string) (deleted bool, err error) {
	return compareAndDelete.Run(ctx, s.client, []string{name}, value).Bool()
}

// Has looks whether a lock is had by the value.
func (s Store) Has(ctx context.Context, name, value string) (has bool, err error) {
	return hasValue(ctx, s.client, name, value)
}

// CompareAndExpire prolongs a lock that is had by the value.
func (s Store) CompareAndExpire(ctx context.Context, name, value string, ttl time.Duration) (held bool, err error) {
	return expire(ctx, s.client, name, value, ttl)
}
