package realredis

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// slots is the number of hash slots of a cluster.
const slots = 16384

// Cluster is a running Redis Cluster.
type Cluster struct {
	// Nodes are its servers, shard after shard: the master, and then its replicas.
	Nodes []*Server
}

// StartCluster starts a Redis Cluster of a number of shards, each a master with a number of replicas, with further
// arguments for each server. It distributes the slots as redis-cli does, and returns when every node finds the cluster up
// and every replica has been loaded. It stops the servers when the test is over.
func StartCluster(t testing.TB, shards, replicas int, args ...string) *Cluster {
	t.Helper()
	return realserver.Start(t, kind, func(dir string) (*Cluster, error) {
		c := &Cluster{}
		if err := c.start(dir, shards, replicas, args); err != nil {
			c.Stop()
			return nil, err
		}
		return c, nil
	})
}

func (c *Cluster) start(dir string, shards, replicas int, args []string) error {
	for i := range shards * (1 + replicas) {
		own := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(own, 0o700); err != nil {
			return err
		}
		bus, err := realserver.FreeAddr()
		if err != nil {
			return err
		}
		s, err := launch(own, append([]string{
			"--cluster-enabled", "yes", "--cluster-port", portOf(bus), "--repl-ping-replica-period", "1",
		}, args...))
		if err != nil {
			return err
		}
		s.bus = portOf(bus)
		c.Nodes = append(c.Nodes, s)
	}
	return c.join(shards, 1+replicas)
}

func portOf(addr string) string { return addr[len("127.0.0.1:"):] }

// join makes the servers one cluster.
func (c *Cluster) join(shards, size int) error {
	do := func(s *Server, words ...any) error {
		if err := s.admin.Do(context.Background(), words...).Err(); err != nil {
			return fmt.Errorf("%v: %w", words, err)
		}
		return nil
	}
	for i, s := range c.Nodes { // all of them, before any node meets another: a node that knows another takes no epoch
		shard, place := i/size, i%size
		errs := []error{do(s, "cluster", "set-config-epoch", 1+place*shards+shard)}
		if place == 0 {
			errs = append(errs, do(s, "cluster", "addslotsrange", firstSlot(shard, shards), firstSlot(shard+1, shards)-1))
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	for _, s := range c.Nodes {
		for _, other := range c.Nodes {
			if err := do(s, "cluster", "meet", "127.0.0.1", other.Port, other.bus); err != nil {
				return err
			}
		}
	}
	for i, s := range c.Nodes {
		if i%size == 0 {
			continue
		}
		master := c.Nodes[i-i%size]
		id, err := master.admin.Do(context.Background(), "cluster", "myid").Text()
		if err != nil {
			return err
		}
		if err := eventually(func() error { return do(s, "cluster", "replicate", id) }); err != nil {
			return err
		}
	}
	for _, s := range c.Nodes {
		if err := eventually(func() error { return s.settled(shards, size) }); err != nil {
			return err
		}
	}
	return nil
}

// firstSlot returns the first slot of a shard in the distribution of redis-cli.
func firstSlot(shard, shards int) int {
	return int(float64(shard)*(float64(slots)/float64(shards)) + 0.5)
}

// settled returns why a node does not find the cluster complete: each shard has its master and its replicas, which have been loaded.
func (s *Server) settled(shards, size int) error {
	ctx := context.Background()
	info, err := s.admin.ClusterInfo(ctx).Result()
	if err != nil {
		return err
	}
	if want := "cluster_state:ok\r\n"; len(info) < len(want) || info[:len(want)] != want {
		return errors.New("the cluster is not up")
	}
	ranges, err := s.admin.ClusterSlots(ctx).Result()
	if err != nil {
		return err
	}
	if len(ranges) != shards {
		return fmt.Errorf("%d ranges of slots", len(ranges))
	}
	for _, r := range ranges {
		if len(r.Nodes) != size {
			return fmt.Errorf("a shard has %d nodes", len(r.Nodes))
		}
	}
	return nil
}

// eventually asks until there is no error, for a minute.
func eventually(ask func() error) (err error) {
	for range 1200 {
		if err = ask(); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// Stop kills the servers and waits until they are gone.
func (c *Cluster) Stop() {
	for _, s := range c.Nodes {
		s.Stop()
	}
}
