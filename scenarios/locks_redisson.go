package scenarios

import (
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// redissonLocks are those of Redisson's family whose record one can read as the
// value of one key, on one server or on several.
var redissonLocks = []Lock{
	{ID: "reentrant", Summary: "a hash with the holder's count; waiters are told of a release", New: func(c *Client) lock.Locker {
		return redislocks.NewReentrant(connect(c), c.LockName(), lockOptions(c))
	}},
	{ID: "watchdog", Summary: "reentrant that is renewed every third of its lease", New: func(c *Client) lock.Locker {
		return redislocks.NewWatchdog(connect(c), c.LockName(), redislocks.WatchdogOptions{Options: lockOptions(c)})
	}},
	{ID: "redlock", Summary: "SET NX PX on a majority of independent servers", Nodes: 5, New: func(c *Client) lock.Locker {
		var nodes []redislocks.RedlockNode
		for _, o := range c.RedisNodes() {
			nodes = append(nodes, client(c, o))
		}
		return redislocks.NewRedlock(nodes, c.LockName(), redislocks.RedlockOptions{Options: lockOptions(c)})
	}},
}
