// Package scripts has the Lua scripts of the locks over Redis, the sound ones and the flawed ones, and
// the names of the keys that they use. The comment of each script describes it.
package scripts

import (
	"context"
	"embed"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
)

//go:embed *.lua
var sources embed.FS

// The scripts of locks that are one value under one key.
var (
	CompareAndDelete = script("compare_and_delete")
	CompareAndExpire = script("compare_and_expire")
	AcquireFenced    = script("acquire_fenced")
	AddIfAbsent      = script("add_if_absent")
	Has              = script("has")
)

// script joins the named files, in this order, into one script.
func script(names ...string) *redis.Script {
	var whole []byte
	for _, name := range names {
		source, err := sources.ReadFile(name + ".lua")
		if err != nil {
			panic(err) // it is part of the program
		}
		whole = append(whole, source...)
	}
	return redis.NewScript(string(whole))
}

// Delete deletes the key if it has the value. It returns [lock.ErrNotHeld] if it has not. The script
// is one step: nothing can happen between the comparison and the deletion.
func Delete(ctx context.Context, client redis.Scripter, name, value string) error {
	n, err := CompareAndDelete.Run(ctx, client, []string{name}, value).Int()
	switch {
	case err != nil:
		return fmt.Errorf("redislocks: release: %w", err)
	case n == 0:
		return lock.ErrNotHeld
	}
	return nil
}

// Expire lets the key expire in ttl if it has the value, and reports whether it has.
func Expire(ctx context.Context, client redis.Scripter, name, value string, ttl time.Duration) (held bool, err error) {
	return CompareAndExpire.Run(ctx, client, []string{name}, value, Millis(ttl)).Bool()
}

// HasValue reports whether the key has the value.
func HasValue(ctx context.Context, client redis.Scripter, name, value string) (bool, error) {
	return Has.Run(ctx, client, []string{name}, value).Bool()
}

// Millis returns a TTL in the unit of the scripts, at least one millisecond: none would be no lease.
func Millis(ttl time.Duration) int64 { return max(ttl.Milliseconds(), 1) }

// Lease is one value under one key, which belongs to one acquisition.
type Lease struct {
	Client      redis.Scripter
	Name, Value string
}

// Release deletes the key if it is still this acquisition's.
func (l *Lease) Release(ctx context.Context) error {
	return Delete(ctx, l.Client, l.Name, l.Value)
}

// Held asks whether the key still has this acquisition's value. The answer is that
// of a moment ago: it makes work without the lock rarer, not impossible.
func (l *Lease) Held(ctx context.Context) (bool, error) {
	return Held(HasValue(ctx, l.Client, l.Name, l.Value))
}

// Held is the answer of a lease's Held.
func Held(held bool, err error) (bool, error) {
	if err != nil {
		return false, fmt.Errorf("redislocks: held: %w", err)
	}
	return held, nil
}
