package redislocks

import (
	"context"
	"embed"
	"time"

	"github.com/redis/go-redis/v9"
)

// sources are the scripts; each says what it does.
//
//go:embed scripts/*.lua
var sources embed.FS

var (
	compareAndDelete = script("compare_and_delete")
	compareAndExpire = script("compare_and_expire")
	acquireFenced    = script("acquire_fenced")
	addIfAbsent      = script("add_if_absent")
	has              = script("has")
)

// script is the script of the given name, or several of them, one after the
// other, as one.
func script(names ...string) *redis.Script {
	var whole []byte
	for _, name := range names {
		source, err := sources.ReadFile("scripts/" + name + ".lua")
		if err != nil {
			panic(err) // it is part of the program
		}
		whole = append(whole, source...)
	}
	return redis.NewScript(string(whole))
}

// expire runs the compare-and-expire script; held is whether the lock still has
// the value.
func expire(ctx context.Context, client redis.Scripter, name, value string, ttl time.Duration) (held bool, err error) {
	return compareAndExpire.Run(ctx, client, []string{name}, value, millis(ttl)).Bool()
}

// hasValue runs the script that looks whether the lock has the value.
func hasValue(ctx context.Context, client redis.Scripter, name, value string) (bool, error) {
	return has.Run(ctx, client, []string{name}, value).Bool()
}

// millis is a TTL at the wire, where less than a millisecond would be none.
func millis(ttl time.Duration) int64 { return max(ttl.Milliseconds(), 1) }
