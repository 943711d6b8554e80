// Package storetest is a suite of tests for stores and the locks over them.
//
// A [Suite] runs schedules of each of its locks twice, in two processes that schedule goroutines differently, and
// fails if a run differs; every fault of its scenario must strike. [Test] does so for one lock in every scenario, for
// code that is not part of a store, such as another client library. [Expectations] searches locks and compares the
// findings with the expectations of package expect, and [Lacks] the reasons why scenarios do not apply with given ones.
// Package fidelity compares simulated servers with real ones.
//
// The tests start their own binary as a worker, so the package needs a TestMain:
//
//	var everything = storetest.Suite{Locks: mystore.Locks(), Scenario: "election", Params: storetest.Election}
//
//	func TestMain(m *testing.M)        { everything.Main(m) }
//	func TestRunsRepeat(t *testing.T)  { everything.Test(t) }
//	func TestExpected(t *testing.T)    { storetest.Expectations(t, mystore.Locks(), mystore.Families(), 200) }
//
// examples/ownstore is a store outside Lockpick's module that is tested so. The package may change in any 0.x version.
package storetest
