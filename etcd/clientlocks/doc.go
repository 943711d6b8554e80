// Package clientlocks has client processes that use the locks of etcd's client library, concurrency.Mutex and
// concurrency.Election, in the ways of programs in production ([Use]): with a session for each hold or one for several, with
// releases that are repeated at once or later. What a search finds of such a process is then the library's fault, and not that
// the process forgot to repeat a release.
//
// [Use.New] makes the lock of a client of a run, over package etcd. The goroutines of a process must not call it at once.
package clientlocks
