package scenarios

import (
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/model"
)

// Lock is a lock that can be put into scenarios by name.
type Lock struct {
	// ID is its name on the command line.
	ID string
	// Summary says in one line what it does, and its flaw if it has one.
	Summary string
	// Replicas is how many replicas it needs at least: scenarios that have
	// fewer by default have as many for it.
	Replicas int
	// Nodes is how many independent Redis servers it needs at least, 0 for one.
	Nodes int
	// Ownership reads who has the lock, for one that is more than one value
	// under one key; nil for the others.
	Ownership model.Ownership
	New       NewLock
}

// furnish gives the lock what it needs at least.
func (l Lock) furnish(p *Params) {
	p.Replicas, p.Nodes = max(p.Replicas, l.Replicas), max(p.Nodes, l.Nodes)
}

// Locks are the built-in locks, in the order in which they are listed.
func Locks() []Lock {
	return []Lock{
		{ID: "setpx", Summary: "SET NX PX with a random value; atomic compare-and-delete", New: func(c *Client) lock.Locker {
			return redislocks.NewSetPX(connect(c), c.LockName(), lockOptions(c))
		}},
		{ID: "setpx-twostep", Summary: "setpx, released by GET, compare, DEL: may delete another's lock", New: func(c *Client) lock.Locker {
			return redislocks.NewSetPXTwoStep(connect(c), c.LockName(), lockOptions(c))
		}},
		{ID: "setpx-fenced", Summary: "setpx with a fencing token from INCR, in one script", New: func(c *Client) lock.Locker {
			return redislocks.NewSetPXFenced(connect(c), c.LockName(), lockOptions(c))
		}},
		{ID: "setpx-wait", Summary: "setpx that waits until a replica has the lock (WAIT)", Replicas: 1, New: func(c *Client) lock.Locker {
			return redislocks.NewSetPXWait(connect(c), c.LockName(), redislocks.WaitOptions{Options: lockOptions(c)})
		}},
	}
}

// DefaultLock is the lock that is tried if none is named.
const DefaultLock = "setpx"

// FindLock returns the lock with the given id.
func FindLock(locks []Lock, id string) (Lock, error) {
	var ids []string
	for _, l := range locks {
		if l.ID == id {
			return l, nil
		}
		ids = append(ids, l.ID)
	}
	return Lock{}, fmt.Errorf("there is no lock %q; there are %s", id, strings.Join(ids, ", "))
}

func connect(c *Client) *redis.Client {
	client := redis.NewClient(c.Redis())
	c.Cleanup(func() { _ = client.Close() }) // nobody is left to tell
	return client
}

func lockOptions(c *Client) redislocks.Options {
	return redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()}
}
