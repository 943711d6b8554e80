// Package flawed has locks over Redis that are not for production: each has a flaw that is widely
// copied, and is here to be found. They are written as carefully as those of package redislocks, take the
// same options, and work as long as nothing goes wrong. The comment of each says what the flaw is, and
// which scenario and property of Lockpick show it.
//
// Locks from before SET could set a value and its expiry at once:
//
//   - [SetNX]: the key of a holder that crashes stays.
//   - [SetNXTimestampDel]: two clients take over a lease that has ended, and both have it.
//   - [SetNXGetSet], [NewSetNXGetSetNil]: leases end by the clients' clocks, and the loser of a race
//     overwrites the winner's lease.
//
// [redislocks.SetPX] with a wrong release:
//
//   - [SetPXDel]: deletes whatever key is there.
//   - [SetPXTwoStep]: compares in one step, and deletes in another.
//   - [SetPXReplicaCheck]: compares what a replica has.
//
// A lock whose waiters are woken by messages:
//
//   - [CheckSubscribe]: checks, and then subscribes, and misses what is published between.
//
// A sound lock that is used wrongly:
//
//   - [LeasedWatchdog]: is given a lease, with which it is not renewed. [redislocks.Watchdog] without one is.
//
// Handlers of package pull that keep the threads of a process from the store:
//
//   - [EarlyHotspots]: lets the next thread go before the store has the lock back.
//   - [HotspotsOfAll]: has a gate for each name that was ever locked. [pull.Hotspots] has those that are
//     registered.
//
// A lock on one of several servers:
//
//   - [SetPXRing]: moves it when the server seems down. [redislocks.SetPX] on the server that
//     [redislocks.ShardOf] names does not.
//
// Locks that are sound on single servers, in a Redis Cluster:
//
//   - [RedlockOneCluster]: takes three keys of one cluster for a majority of servers.
//   - [Untagged]: has a key and a channel of different slots, so that nobody can release it.
//
// Locks as a document prints them, mistakes included:
//
//   - [SetNXGetSetPrinted]: mixes up units and origins of time, and drops an answer.
//   - [SetPXVoidPrinted]: returns when it has waited in vain, as if it had the lock, and keeps its
//     connection.
//   - [SetPXWaitAsTTLPrinted]: makes the lease as long as the wait.
//   - [SetPXSpinReleasePrinted]: does not return from the release of a lease that has ended.
//   - [SetPXQuietReleasePrinted]: releases with success, whatever the server says.
//   - [RedlockMulti]: Redisson's lock on several servers. [redislocks.Redlock] is the sound one.
//
// The locks of package redislocks are the ones to use instead.
package flawed
