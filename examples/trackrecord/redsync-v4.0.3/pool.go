package adapter

import (
	"context"
	"errors"
	"strings"
	"time"

	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/redis/go-redis/v9"
)

// pool is redsync's goredis.Pool for version 8 of the client, changed to version 9: this
// redsync has none for version 9.
type pool struct{ *redis.Client }

func (p pool) Get(ctx context.Context) (redsyncredis.Conn, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	return conn{p.Client, ctx}, nil
}

type conn struct {
	rdb *redis.Client
	ctx context.Context
}

func (c conn) Get(name string) (string, error) {
	value, err := c.rdb.Get(c.ctx, name).Result()
	return value, noErrNil(err)
}

func (c conn) Set(name, value string) (bool, error) {
	reply, err := c.rdb.Set(c.ctx, name, value, 0).Result()
	return reply == "OK", err
}

func (c conn) SetNX(name, value string, expiry time.Duration) (bool, error) {
	return c.rdb.SetNX(c.ctx, name, value, expiry).Result()
}

func (c conn) PTTL(name string) (time.Duration, error) { return c.rdb.PTTL(c.ctx, name).Result() }

func (c conn) Eval(script *redsyncredis.Script, keysAndArgs ...any) (any, error) {
	keys := make([]string, script.KeyCount)
	for i := range keys {
		keys[i] = keysAndArgs[i].(string)
	}
	args := keysAndArgs[script.KeyCount:]
	v, err := c.rdb.EvalSha(c.ctx, script.Hash, keys, args...).Result()
	if err != nil && strings.HasPrefix(err.Error(), "NOSCRIPT ") {
		v, err = c.rdb.Eval(c.ctx, script.Src, keys, args...).Result()
	}
	return v, noErrNil(err)
}

func (conn) Close() error { return nil } // the client has a pool of its own

func noErrNil(err error) error {
	if errors.Is(err, redis.Nil) {
		return nil
	}
	return err
}
