package redis

import "time"

// poolTimeout is how long a request waits for a connection of a limited pool, in all versions:
// go-redis's default if reads time out after 3 s.
const poolTimeout = 4 * time.Second

// pool returns the number of connections of a client's pool, and how long a request waits for one. Without
// a limit (0) the pool has ten connections, since the default depends on the machine, and the timeout is 0,
// which selects go-redis's own. Waiting requests queue in go-redis itself, in the order of their arrival,
// and [turns] lets no two arrive at once.
//
// PoolSize limits the pool by itself. MaxActiveConns of newer versions would add nothing, and with the same
// limit v9.7 and similar versions refuse connections for Pub/Sub.
func pool(limit int) (size int, timeout time.Duration) {
	if limit == 0 {
		return 10, 0
	}
	return limit, poolTimeout
}
