package builtin

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/s3"
	"github.com/lockpick-dev/lockpick/s3/s3locks"
	"github.com/lockpick-dev/lockpick/s3/s3locks/flawed"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// Locks are the built-in locks over S3, in the order in which they are listed.
func Locks() []cell.Lock {
	return []cell.Lock{
		mutex("s3-lease", "an object with an end by S3's clock and a generation, replaced by If-Match", s3.LeaseOwnership(), made(s3locks.NewLease)),
		mutex("s3-object", "an object that If-None-Match: * makes, recognized by its content, and removed by If-Match", s3.ObjectOwnership(), made(s3locks.NewObject)),
		marked(mutex("s3-repeated-put", "an object that If-None-Match: * makes; a PUT that the library repeats is refused by the lock's own object", s3.ObjectOwnership(), made(flawed.NewRepeatedPut))),
	}
}

// marked marks a lock that is known to fail.
func marked(l cell.Lock) cell.Lock {
	l.Flawed = true
	return l
}

func mutex(id, summary string, view model.Ownership, make cell.NewLock) cell.Lock {
	return cell.Lock{ID: id, Summary: summary, Store: s3.Store, Reading: cell.Reading{Ownership: view}, Subject: cell.Mutex(make)}
}

// made makes a lock with a client of its own.
func made[L lock.Locker](make func(client s3locks.Client, bucket, key string, options s3locks.Options) L) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		return make(s3.Connect(c), s3.Bucket, c.LockName(), s3locks.Options{
			TTL: c.TTL(), MinSleep: c.Pause(), RandomSleep: c.Pause(), Clock: c.Clock(), Rand: c.Rand(),
		})
	}
}

// Families are the locks with what is expected of them, in the order of [Locks].
func Families() []expect.Family {
	return []expect.Family{
		{Title: "S3: objects by conditional requests", Expectations: lockExpectations},
		{Title: "S3, flawed", Expectations: flawedExpectations},
	}
}
