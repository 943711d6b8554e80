package realredis_test

import (
	"net"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"

	"github.com/redis/go-redis/v9"
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

// TestCluster writes to a cluster by one of its nodes, and reads from a replica.
func TestCluster(t *testing.T) {
	cluster := realredis.StartCluster(t, 3, 1)
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{cluster.Nodes[2].Addr}})
	defer client.Close()
	if err := client.Set(t.Context(), "foo", "v", 0).Err(); err != nil { // slot 12182
		t.Fatal(err)
	}
	if err := cluster.Nodes[4].Client(t, nil).Get(t.Context(), "foo").Err(); err != nil {
		t.Errorf("the master of foo: %v", err)
	}
	err := cluster.Nodes[5].Client(t, nil).Get(t.Context(), "foo").Err()
	if want := "MOVED 12182 " + cluster.Nodes[4].Addr; err == nil || err.Error() != want {
		t.Errorf("its replica says %v, want %s", err, want)
	}
}
