// Package etcdlocks has locks over etcd: the recipe of etcd's documentation with a fencing
// token ([Etcd]), and what comes with the client library, as it is ([Mutex], [Election],
// [ReadWrite]).
//
//	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints})
//	l := etcdlocks.NewEtcd(client, "/locks/orders", etcdlocks.Options{TTL: 10 * time.Second})
//	lease, err := l.Acquire(ctx)
//	defer lease.Release(ctx)
//
// A lock is a prefix of keys. Each acquisition has a key below it, which vanishes with its
// lease in etcd's sense; the key that was created first has the lock.
package etcdlocks
