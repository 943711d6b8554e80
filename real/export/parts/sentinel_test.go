package parts

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
)

// TestSentinels: a client finds the Redis, whichever machine has vanished before it asks.
func TestSentinels(t *testing.T) {
	realredis.Need(t)
	s := StartSentinels(t, 3)
	rdb := RedisFailover(NewClient(t, "c1", time.Second, s.Addresses()...), nil)
	if err := rdb.Set(t.Context(), LockName, "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	m := s.Chosen(t)
	m.Vanish(t)
	s.Disconnect(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := new(net.Dialer).DialContext(ctx, "tcp", m.Address)
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a dial to a machine that has vanished says %v", err)
	}
	other := SentinelUniversal(NewClient(t, "c2", time.Second, s.Addresses()...), nil)
	for end := time.Now().Add(patience); ; {
		text, err := other.Get(t.Context(), LockName).Result()
		if err == nil && text == "x" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the other client reads %q, %v", text, err)
		}
	}
}
