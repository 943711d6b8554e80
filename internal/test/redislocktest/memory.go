package redislocktest

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	miniserver "github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
)

// InMemory returns a Redis in memory, and a client of it. It answers WAIT with 1, unlike miniredis, which answers 0: a
// replica has everything.
func InMemory(tb testing.TB) (*miniredis.Miniredis, *redis.Client) {
	tb.Helper()
	m := miniredis.NewMiniRedis()
	client := redis.NewClient(&redis.Options{
		Addr: "127.0.0.1:6379", Protocol: 2,
		Dialer: func(context.Context, string, string) (net.Conn, error) { return m.Dial() },
		// A slow answer of a busy machine is no lost reply: a repeated request would find the lock taken by itself.
		MaxRetries: -1, ReadTimeout: time.Minute, WriteTimeout: time.Minute, PoolTimeout: time.Minute,
	})
	tb.Cleanup(func() {
		_ = client.Close()
		m.Close()
	})
	if err := client.Ping(tb.Context()).Err(); err != nil { // starts it
		tb.Fatal(err)
	}
	AnswerWait(m, func() int { return 1 })
	return m, client
}

// AnswerWait makes a miniredis answer WAIT with the result of replicas.
func AnswerWait(m *miniredis.Miniredis, replicas func() int) (asked *[]string) {
	asked = new([]string)
	var mu sync.Mutex
	m.Server().SetPreHook(func(c *miniserver.Peer, cmd string, args ...string) bool {
		if !strings.EqualFold(cmd, "wait") {
			return false
		}
		mu.Lock()
		*asked = append(*asked, strings.Join(args, " "))
		mu.Unlock()
		c.WriteInt(replicas())
		return true
	})
	return asked
}

// Connected returns a Redis for examples. The function ends it and the client.
func Connected() (client *redis.Client, closeBoth func()) {
	m := miniredis.NewMiniRedis()
	client = redis.NewClient(&redis.Options{
		Addr: "127.0.0.1:6379", Protocol: 2, ContextTimeoutEnabled: true,
		Dialer: func(context.Context, string, string) (net.Conn, error) { return m.Dial() },
	})
	return client, func() {
		_ = client.Close()
		m.Close()
	}
}

// Acquire acquires the lock, and fails the test if that fails.
func Acquire(ctx context.Context, t *testing.T, l lock.Locker) lock.Lease {
	t.Helper()
	lease, err := l.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// Waiting acquires in a goroutine of its own.
func Waiting(ctx context.Context, l lock.Locker) <-chan error {
	result := make(chan error, 1)
	go func() {
		_, err := l.Acquire(ctx)
		result <- err
	}()
	return result
}
