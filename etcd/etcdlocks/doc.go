// Package etcdlocks has a lock over etcd, [Etcd]: the recipe of etcd's documentation with a fencing token.
//
//	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints})
//	if err != nil {
//		return err
//	}
//	l := etcdlocks.NewEtcd(client, "/locks/orders", etcdlocks.Options{TTL: 10 * time.Second})
//	lease, err := l.Acquire(ctx)
//	if err != nil {
//		return err
//	}
//	defer lease.Release(context.WithoutCancel(ctx))
//
// A lock is a prefix of keys. Each acquisition has a key below it, which vanishes with its
// lease in etcd's sense; the key that was created first has the lock.
//
// The locks that come with the client library are in package flawed, as they are.
package etcdlocks
