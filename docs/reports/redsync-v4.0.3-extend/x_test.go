// The rule: Extend reports success only if the lock was held without a gap.
// c2 was told that it had extended its lease, but did not hold the lock any more: c2's key expired on
// redis1 while c2 was paused.
//
// What happens:
//
//  1. 0.0000s c2 asks for the lock
//  2. 2.8926s resource c1 holds the lock 2 times from 0.0012s to 2.8926s; the value is now 2
//  3. 3.0067s c2 acquires the lock (lock = kJul8H…, expires in 2s)
//  4. 3.0196s c2 is paused for 2.5s while it holds the lock
//  5. 5.0070s redis1 the key expires: c2's lease is over, but c2 is paused and does not know
//  6. 5.5196s c2 goes on, still believing that it holds the lock, though its key is gone
//  7. 5.5198s c2 reads 2
//  8. 6.5204s c2 extends its lease
//
// Found in a simulation (lockpick 0.2.0, go 1.26.8, go-redis v9.0.5); this test shows it on real
// servers. It fails as long as the library does so. Run it by: go test .
//
// It passes with github.com/go-redsync/redsync/v4@v4.0.4:
//
//	go get github.com/go-redsync/redsync/v4@v4.0.4 && go mod tidy && go test .
package reproduction

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/redis/go-redis/v9"
)

func TestTruthfulExtendInGcPause(t *testing.T) {
	ctx := t.Context()
	server := redisServer(t)
	const ttl = 2 * time.Second
	c2 := newLock(newClient(t, "c2", ttl, server))

	c2Lease, acquireErr := c2.Acquire(ctx)
	if acquireErr != nil {
		t.Fatalf("Acquire of c2: %v", acquireErr)
	}
	mine := redisRecord(t, server)
	// The process of c2 stands still: a garbage collection, a machine that is suspended.
	time.Sleep(2500 * time.Millisecond)
	time.Sleep(1 * time.Second)
	before := redisRecord(t, server)
	extendErr := c2Lease.(Extender).Extend(ctx, ttl)
	t.Logf("Extend of c2: %v", extendErr)
	if extendErr == nil && before != mine {
		t.Error("truthful-extend: Extend reports success, but the lock was not this client's any more: " + whose(before, mine))
	}
}

func newLock(c *client) Locker {
	rdb := redis.NewClient(redisOptions(c))
	c.Cleanup(func() { _ = rdb.Close() })
	return locker{redsync.New(pool{rdb}), c.LockName(), c.TTL()}
}

// locker is redsync over one Redis. All settings but the expiry are redsync's defaults:
// 32 tries, half a second apart.
type locker struct {
	rs   *redsync.Redsync
	name string
	ttl  time.Duration
}

func (l locker) Acquire(ctx context.Context) (Lease, error) {
	m := l.rs.NewMutex(l.name, redsync.WithExpiry(TTL(ctx, l.ttl)))
	err := m.LockContext(ctx)
	if errors.Is(err, redsync.ErrFailed) {
		return nil, fmt.Errorf("%w: %w", ErrNotAcquired, err)
	}
	if err != nil {
		return nil, err
	}
	return lease{m}, nil
}

// pool is redsync's goredis.Pool for version 8 of the client, changed to version 9: this
// redsync has none for version 9.
type pool struct{ *redis.Client }

func (p pool) Get(ctx context.Context) (redsyncredis.Conn, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	return conn{p.Client, ctx}, nil
}

type lease struct{ m *redsync.Mutex }

func (l lease) Release(ctx context.Context) error { return held(l.m.UnlockContext(ctx)) }

// Extend ignores the TTL: redsync extends by the expiry of the Mutex.
func (l lease) Extend(ctx context.Context, _ time.Duration) error {
	return held(l.m.ExtendContext(ctx))
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

func (conn) Close() error { return nil }

// held translates the answers of Unlock and Extend into errors of package lock.
func held(ok bool, err error) error {
	if !ok && err == nil {
		return ErrNotHeld
	}
	return err
}

func noErrNil(err error) error {
	if errors.Is(err, redis.Nil) {
		return nil
	}
	return err
}

// A Locker acquires one named lock. One Locker belongs to one client process
// and is shared by its threads, so Acquire must be safe for concurrent use.
type Locker interface {
	// Acquire blocks until the lock is held, ctx is done, or the locker gives
	// up.
	Acquire(ctx context.Context) (Lease, error)
}

// A Lease is one acquisition of a lock. Its methods are called by one
// goroutine at a time.
type Lease interface {
	// Release gives the lock up. It returns ErrNotHeld when the caller is known not
	// to have had the lease any more; after any other error the lock may or may not
	// have been given up.
	Release(ctx context.Context) error
}

// TTL is the length given to [WithTTL], or the given default.
func TTL(ctx context.Context, otherwise time.Duration) time.Duration {
	if ttl, ok := ctx.Value(ttlKey{}).(time.Duration); ok {
		return ttl
	}
	return otherwise
}

type ttlKey struct{}

// ErrNotAcquired is returned by Acquire, wrapped or not, when it gave up and
// certainly holds nothing. Any other error leaves open whether the lock was
// taken.
var ErrNotAcquired = errors.New("lock: not acquired")

// ErrNotHeld is returned by Release and Extend, wrapped or not, when the caller
// is known not to have the lease any more.
var ErrNotHeld = errors.New("lock: not held")

// An Extender is a lease that can be extended.
type Extender interface {
	// Extend makes the lease last for ttl from now. It returns ErrNotHeld when the
	// caller is known not to have the lease any more.
	Extend(ctx context.Context, ttl time.Duration) error
}

// client is who uses the lock: its servers, and what the lock asks it for.
type client struct {
	t         testing.TB
	name      string
	addresses []string
	ttl       time.Duration
}

// LockName is the name of the lock.
func (c *client) LockName() string { return lockName }

// TTL is how long a lease lasts.
func (c *client) TTL() time.Duration { return c.ttl }

// Addresses are those of its servers.
func (c *client) Addresses() []string { return c.addresses }

// Cleanup registers what ends the client's connections.
func (c *client) Cleanup(f func()) {
	if c.t != nil { // else it ends with its process
		c.t.Cleanup(f)
	}
}

// redisOptions are those of a client of one server.
func redisOptions(c *client) *redis.Options { return &redis.Options{Addr: c.Addresses()[0]} }

// lockName is the name of the lock.
const lockName = "lock"

// redisServer is the address of an empty Redis: $REDIS_ADDR, whose key it deletes, or a redis-server of its own.
func redisServer(t testing.TB) string {
	t.Helper()
	address := os.Getenv("REDIS_ADDR")
	if address == "" {
		address = startRedis(t)
	}
	deleted := redis.NewClient(&redis.Options{Addr: address})
	defer deleted.Close()
	if err := deleted.Del(t.Context(), lockName).Err(); err != nil {
		t.Fatal(err)
	}
	return address
}

// startRedis starts a redis-server, with more arguments.
func startRedis(t testing.TB, more ...string) (address string) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		missing(t, "redis-server is not installed, and REDIS_ADDR names no Redis")
	}
	address = freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	server := exec.Command("redis-server", append([]string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir()}, more...)...)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	awaitListener(t, address)
	return address
}

// missing skips the test, or fails it where CI is set: a server is missing.
func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// freeAddress is one on which nobody listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// awaitListener waits until somebody listens.
func awaitListener(t testing.TB, address string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("nobody listens on %s: %v", address, err)
		}
	}
}

// patience is how long a test waits for what has to come.
const patience = 20 * time.Second

// newClient returns a client of servers.
func newClient(t testing.TB, name string, ttl time.Duration, addresses ...string) *client {
	return &client{t, name, addresses, ttl}
}

// redisRecord is what Redis has under the lock's name, empty if nothing.
func redisRecord(t testing.TB, address string) string {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: address})
	defer c.Close()
	text, err := c.Dump(context.Background(), lockName).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		t.Fatal(err)
	}
	return text
}

// whose says whose a record is.
func whose(record, mine string) string {
	switch record {
	case "":
		return "it is gone"
	case mine:
		return "it is this client's"
	}
	return fmt.Sprintf("it is another's (%q)", record)
}
