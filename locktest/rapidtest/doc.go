// Package rapidtest turns scenarios into properties for [pgregory.net/rapid]. Rapid replaces
// Lockpick's search: it draws every decision of a run, shrinks a failing run towards the calm
// one, saves it under testdata/rapid and tries it first next time.
//
//	func TestMyLock(t *testing.T) {
//		rapid.Check(t, rapidtest.Property("gc-pause", redis.Store, newMyLock))
//	}
package rapidtest
