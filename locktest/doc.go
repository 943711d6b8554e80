// Package locktest searches a lock for bugs in go test.
//
// [Check] searches every scenario for faults of your lock, reports each cause once, and then says
// in a subtest the result of each scenario. [Explore] returns its findings instead.
//
//	func TestMyLock(t *testing.T) {
//		locktest.Check(t, func(c *locktest.Client) lock.Locker {
//			return myAdapter{mylock.New(redis.Connect(c)), c.LockName(), c.TTL()}
//		}, locktest.On(redis.Store))
//	}
//
// [On] names the store; no store is the default, and none is compiled that the test does not
// import. The stores are packages below github.com/lockpick-dev/lockpick/stores, and the module
// github.com/lockpick-dev/lockpick/etcd.
//
// Package cell says what the clients of a run do with the lock, and what is a fault of the lock
// and what a limit of leases. Package rapidtest makes a scenario a property for
// pgregory.net/rapid. docs/bring-your-own-lock.md leads from go get to a first verdict.
package locktest
