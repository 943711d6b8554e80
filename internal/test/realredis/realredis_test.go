package realredis_test

import (
	"net"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/realserver"
)

// TestServer is the life of a server, which answers on both of its addresses and is
// as new when flushed.
func TestServer(t *testing.T) {
	realserver.CheckLife(t, realredis.Need, func(t *testing.T) string {
		server := realredis.Start(t)
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
		return server.Addr
	})
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
