package realredis_test

import (
	"context"
	"net"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/realredis"
)

// TestServer is the life of a server: it answers on both of its addresses, is
// as new when flushed, and is gone with the test that started it.
func TestServer(t *testing.T) {
	realredis.Need(t)
	var addr string
	t.Run("up", func(t *testing.T) {
		server := realredis.Start(t)
		addr = server.Addr
		client := server.Client(t, nil)
		if err := client.Set(t.Context(), "key", "value", 0).Err(); err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("unix", server.Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		server.Flush(t)
		if n, err := client.Exists(t.Context(), "key").Result(); err != nil || n != 0 {
			t.Errorf("after Flush there are %d keys, %v", n, err)
		}
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("Flush has not ended the other connection")
		}
	})
	if c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", addr); err == nil {
		_ = c.Close()
		t.Errorf("%s still listens when its test is over", addr)
	}
}

// TestReplica starts a server with arguments of its own.
func TestReplica(t *testing.T) {
	primary := realredis.Start(t)
	replica := realredis.Start(t, "--replicaof", "127.0.0.1", primary.Port)
	role, err := replica.Client(t, nil).Do(t.Context(), "role").Slice()
	if err != nil || role[0] != "slave" {
		t.Errorf("ROLE says %v, %v", role, err)
	}
}
