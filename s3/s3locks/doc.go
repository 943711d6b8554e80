// Package s3locks has locks over conditional requests of Amazon S3, and of services that speak its protocol. The comment
// of each gives its guarantee, what breaks it (with the scenario and the property of Lockpick that show it) and what it
// costs.
//
//	client := s3.NewFromConfig(config)
//	locker := s3locks.NewLease(client, "my-bucket", "locks/orders", s3locks.Options{TTL: 30 * time.Second})
//
// For production:
//
//   - [Lease]: an object with an end by S3's clock and a generation, which is a fencing token.
//   - [Object]: an object that exists as long as the lock is held. It has no end: that of a holder that crashes stays.
//
// None depends on the simulation. Locks that are flawed on purpose are in package flawed.
package s3locks
