// Package locktest searches a lock for bugs in go test.
//
// [Check] searches every scenario for faults of your lock, reports each cause once, and then reports the result of each
// scenario in a subtest. [Explore] returns its findings instead.
//
//	func TestMyLock(t *testing.T) {
//		locktest.Check(t, func(c *locktest.Client) lock.Locker {
//			return myAdapter{mylock.New(redis.Connect(c)), c.LockName(), c.TTL()}
//		}, locktest.On(redis.Store))
//	}
//
// [On] names the store. There is no default, and only the stores that the test imports are compiled. The stores are
// packages below github.com/lockpick-dev/lockpick/stores, and the modules etcd, kube, mysql, postgres, s3 and zookeeper.
//
// Package cell documents how the clients of a run use the lock, and package endings, below checker, which violations are
// limits of leases and not faults of the lock. Package rapidtest makes a scenario a property for pgregory.net/rapid.
// docs/bring-your-own-lock.md leads from go get to a first verdict.
package locktest
