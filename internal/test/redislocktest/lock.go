package redislocktest

import (
	"io"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// Name is the name of the locks in the tests.
const Name = "orders"

// Lock is a lock that goes through the functional tests.
type Lock struct {
	ID string
	// Make returns a locker for the lock called [Name]. Lockers of one client
	// process share a client.
	Make func(client *redis.Client, options redislocks.Options) lock.Locker
	// Fails are the tests that the lock must fail, by name, with the reason.
	Fails map[string]string
	// MayFail are the tests whose outcome depends on timing.
	MayFail map[string]string
	// Renews is set if the lease lasts while its holder lives.
	Renews bool
	// Replica is set if the lock needs one.
	Replica bool
}

// Databases are clients of n databases of one server, which are as many servers
// to a lock that needs several.
func Databases(c *redis.Client, n int) (list []*redis.Client) {
	for i := range n {
		o := *c.Options()
		o.DB = i
		list = append(list, redis.NewClient(&o))
	}
	return list
}

// Closers are closed together.
type Closers []io.Closer

// Close closes all of them.
func (c Closers) Close() error {
	for _, one := range c {
		_ = one.Close()
	}
	return nil
}

// Closing is a locker that is closed with the lock that it is a part of.
type Closing struct {
	lock.Locker
	io.Closer
}
