// Package s3 simulates Amazon S3 for tests of locks: a bucket with conditional requests, and unmodified clients of
// aws-sdk-go-v2 that connect to it.
//
// A test names the store with locktest.On, and the lock takes its client from [Connect]:
//
//	locktest.Check(t, func(c *locktest.Client) lock.Locker {
//		return mylock.New(s3.Connect(c), s3.Bucket, c.LockName())
//	}, locktest.On(s3.Store))
//
// [Route] leads the options of a client to the simulated server that the code under test has made by itself.
//
// Parameters of scenarios are the store's:
//
//   - slow-downs: how many requests S3 may answer with 503 SlowDown.
//   - internal-errors: how many requests S3 may answer with 500 InternalError, executed or not.
//   - conflicts: how many conditional PUTs S3 may answer with 409 ConditionalRequestConflict.
//
// Package sims3 lists the requests that the server supports. A run with any other fails, with a message that names it.
//
// "The lease" of scenarios is what the lock keeps in its object. A lock's record is the object with the lock's name as
// its key. [ObjectOwnership] and [LeaseOwnership] are the views of the locks of package s3locks.
//
// The library goes by package time where it waits and dates requests. It draws the random part of its waits from
// crypto/rand, whose reader it keeps; that is seeded in test binaries, and in programs that are linked with
// -X testing.testBinary=1.
//
// Package builtin has the locks that come with Lockpick, and what is expected of them.
package s3
