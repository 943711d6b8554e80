package builtin

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/flawed"
	"github.com/lockpick-dev/lockpick/model"
)

// flawedClusterLocks are locks whose flaw shows in a Redis Cluster alone.
var flawedClusterLocks = []cell.Lock{
	{
		ID: "redlock-one-cluster", Summary: "redlock on three keys of one Redis Cluster, two of which one shard may have",
		Needs: cell.Needs{Topologies: inCluster},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			return flawed.NewRedlockOneCluster(connect(c), c.LockName(), lockOptions(c))
		}),
	},
	{
		ID: "redisson-untagged", Summary: "reentrant whose release has a key and a channel without the same hash tag",
		Needs:   cell.Needs{Topologies: inCluster},
		Reading: cell.Reading{Ownership: model.HashOwnership{Key: cell.LockName}},
		Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
			return flawed.NewUntagged(connect(c), c.LockName(), lockOptions(c))
		}),
	},
}

// inCluster is the topology of locks that are of interest there alone.
var inCluster = []string{"cluster"}
