// Package flawed has locks over ZooKeeper that are not for production: each has a flaw that is widely
// copied, and is here to be found. They are written as carefully as those of package zklocks, and are made
// on the same sessions. The comment of each says what the flaw is, and which scenario and property of
// Lockpick show it.
//
//   - [Curator]: the recipe of Curator's InterProcessMutex, which an owner may take
//     again. It takes its server's word for what the leader may have ended.
//   - [Herd]: as safe as [zklocks.Zookeeper], but a release wakes every waiter.
//   - [Library]: the lock of the client library itself.
//   - [Printed]: a widely read listing, mistakes included.
//
// [zklocks.Zookeeper] is the lock to use instead.
package flawed
