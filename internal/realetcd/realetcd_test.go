package realetcd_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realetcd"
)

// TestServer is the life of a server: it takes connections, and is gone with the
// test that started it.
func TestServer(t *testing.T) {
	realetcd.Need(t)
	var addr string
	t.Run("up", func(t *testing.T) {
		addr = realetcd.Start(t, time.Second).Addr
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
	})
	if c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", addr); err == nil {
		_ = c.Close()
		t.Errorf("%s still listens when its test is over", addr)
	}
}
