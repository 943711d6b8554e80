// Package flawed has locks over etcd that are not for production: each has flaws, which its comment
// names, with the scenario and the property of Lockpick that show them. Package etcdlocks has the lock to
// use instead.
//
// Three come with etcd's client library, and are here as they are, with the interface of package lock.
// They are made on the [Sessions] of a client:
//
//   - [Mutex]: concurrency.Mutex.
//   - [Election]: concurrency.Election, used as a lock.
//   - [ReadWrite]: recipe.RWMutex, many readers or one writer.
//
// One has a flaw that is often written:
//
//   - [WatchNow]: its waiters watch from now, and miss a deletion before that.
package flawed
