package realmysql_test

import (
	"context"
	"net"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/realmysql"
)

// TestServer is the life of a server: it takes connections, and is gone with the
// test that started it.
func TestServer(t *testing.T) {
	realmysql.Need(t)
	var addr string
	t.Run("up", func(t *testing.T) {
		addr = realmysql.Start(t).Addr
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
