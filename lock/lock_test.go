package lock_test

import (
	"context"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

func TestContextValues(t *testing.T) {
	ctx := context.Background()
	if ttl := lock.TTL(ctx, time.Second); ttl != time.Second {
		t.Errorf("TTL without WithTTL: %v", ttl)
	}
	if ttl := lock.TTL(lock.WithTTL(ctx, time.Minute), time.Second); ttl != time.Minute {
		t.Errorf("TTL after WithTTL: %v", ttl)
	}
	if owner, ok := lock.Owner(ctx); ok {
		t.Errorf("an owner without WithOwner: %q", owner)
	}
	if owner, ok := lock.Owner(lock.WithOwner(ctx, "a")); !ok || owner != "a" {
		t.Errorf("Owner after WithOwner: %q, %v", owner, ok)
	}
}
