// Package flawed has the locks that come with etcd's client library, as they are, with the interface of
// package lock. They are not for production: each has flaws, which its comment names, with the scenario and
// the property of Lockpick that show them.
//
//   - [Mutex]: concurrency.Mutex.
//   - [Election]: concurrency.Election, used as a lock.
//   - [ReadWrite]: recipe.RWMutex, many readers or one writer.
//
// All are made on the [Sessions] of a client. Package etcdlocks has the lock to use instead.
package flawed
