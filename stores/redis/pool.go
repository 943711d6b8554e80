package redis

import "time"

// poolTimeout is how long a request waits for a connection of a pool that is limited: go-redis's
// default where reads time out after 3 s, and the same in all versions.
const poolTimeout = 4 * time.Second

// pool returns how many connections the pool of a client has, and how long a request waits for one. A limit
// of 0 is none: the pool has ten then, since the default depends on the machine, and go-redis's own
// timeout, which 0 stands for. Those who wait queue in go-redis itself, in the order in which they come,
// and [turns] lets no two of them come at once.
//
// PoolSize limits the pool by itself. MaxActiveConns of newer versions would add nothing to it now,
// but where it is as large v9.7 and its like refuse to connect for Pub/Sub.
func pool(limit int) (size int, timeout time.Duration) {
	if limit == 0 {
		return 10, 0
	}
	return limit, poolTimeout
}
