// Package flawed has locks over PostgreSQL that are not for production: each has a flaw that is widely
// copied, or was reported of a library, and is here to be found. They are written as carefully as those of
// package pglocks, take the same options, and use its tables ([pglocks.Create]). The comment of each says
// what the flaw is, and which scenario and property of Lockpick show it.
//
//   - [PooledAdvisory]: an advisory lock through a pool of connections, [CancelledAdvisory]: one whose release
//     has the context that has ended, [ReturnedAdvisory]: one whose connection is closed into the pool.
//     [pglocks.Advisory] is the sound one.
//   - [UpsertLease]: a lease that is extended by an upsert, [ReelectedLease]: by a condition that always holds,
//     [ExcludedLease]: a lease whose end is computed too early, [ValueLease]: one that is compared by a value
//     that comes back. [pglocks.Lease] is the sound one.
//   - [PrintedStock]: a widely read listing. [pglocks.OptimisticStock] is the sound one.
//   - [UnlockedQueue]: a queue whose items are chosen without a lock. [pglocks.Queue] is the sound one.
package flawed
